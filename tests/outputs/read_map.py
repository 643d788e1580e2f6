#!/usr/bin/env python3
"""Read a map with another program and print the result as JSON.

Usage: read_map.py READER FILE. Keys: points, origin, spacing (x, y, z), values (x fastest); of READER cube also atoms
(atomic number, x, y, z), of vti field and texts. Exit status 77 without the reader's package.
"""

import json
import sys


def floats(values):
    return [float(value) for value in values]


def by_griddata(path):
    from gridData import Grid

    grid = Grid(path)
    return grid.grid, grid.origin, grid.delta, {}


def by_mrcfile(path):
    import mrcfile

    if not mrcfile.validate(path, print_file=sys.stderr):
        sys.exit(f"{path}: mrcfile finds faults (above)")
    with mrcfile.open(path) as file:
        header, step = file.header, file.voxel_size
        spacing = [step.x, step.y, step.z]
        start = [header.nxstart, header.nystart, header.nzstart]
        origin = [header.origin[axis] + start[k] * spacing[k] for k, axis in enumerate("xyz")]
        return file.data.transpose(2, 1, 0).copy(), origin, spacing, {}


def by_gemmi(path):
    import gemmi
    import numpy as np

    ccp4 = gemmi.read_ccp4_map(path)
    cell, grid = ccp4.grid.unit_cell, np.array(ccp4.grid, copy=True)
    spacing = [length / ccp4.header_i32(8 + axis) for axis, length in enumerate((cell.a, cell.b, cell.c))]
    origin = [ccp4.header_i32(5 + axis) * spacing[axis] for axis in range(3)]
    return grid, origin, spacing, {"texts": {"title": ccp4.header_str(57, 80).rstrip()}}


def by_ase(path):
    from ase.io.cube import read_cube

    with open(path, encoding="utf-8") as file:
        cube = read_cube(file)
    atoms, values = cube["atoms"], cube["data"]
    spacing = [atoms.cell[axis][axis] / values.shape[axis] for axis in range(3)]
    rows = [[int(number), *floats(x)] for number, x in zip(atoms.numbers, atoms.positions)]
    return values, cube["origin"], spacing, {"atoms": rows}


def by_vtk(path):
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLImageDataReader

    reader = vtkXMLImageDataReader()
    reader.SetFileName(path)
    reader.Update()
    if reader.GetErrorCode():
        sys.exit(f"{path}: VTK's error {reader.GetErrorCode()}")
    image = reader.GetOutput()
    points, texts = image.GetPointData(), image.GetFieldData()
    more = {"texts": {}}
    for number in range(texts.GetNumberOfArrays()):
        array = texts.GetAbstractArray(number)
        more["texts"][array.GetName()] = array.GetValue(0)
    if points.GetVectors() is not None:
        more["field"] = [floats(row) for row in vtk_to_numpy(points.GetArray("field"))]
    values = vtk_to_numpy(points.GetArray("potential")).reshape(image.GetDimensions(), order="F")
    return values, image.GetOrigin(), image.GetSpacing(), more


READERS = {"griddata": by_griddata, "mrcfile": by_mrcfile, "gemmi": by_gemmi, "ase": by_ase, "vtk": by_vtk}


def main():
    reader, path = sys.argv[1:]
    try:
        values, origin, spacing, more = READERS[reader](path)
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(77)
    json.dump({"points": values.shape, "origin": floats(origin), "spacing": floats(spacing),
               "values": floats(values.ravel(order="F")), **more}, sys.stdout)


if __name__ == "__main__":
    main()
