# Bash completion for dropmd; installed as share/bash-completion/completions/dropmd.

_dropmd() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  local commands="run energy compare map ions ensemble clusters report convert bench generate info help"
  local common="--json --output --force --quiet --verbose --help"
  local processor="--backend --device --threads --precision"
  local method="$processor --neighbor"
  local grid="--method --cutoff --form --dielectric --spacing --padding --origin --points --nearest --accuracy"
  local words='' files=''
  COMPREPLY=()

  if (( COMP_CWORD == 1 )); then
    mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$current")
    return
  fi

  case $previous in
    --backend) words="auto cpu cuda" ;;
    --precision) words="mixed double" ;;
    --neighbor) words="auto all-pairs cells sorted-cells pair-list" ;;
    --wall) words="none harmonic quartic" ;;
    --method) words="direct mesh cutoff" ;;
    --form) words="shift cut smoothed reaction-field" ;;
    --unit) words="energy kT V" ;;
    --units) words="real lj" ;;
    --dielectric) words="inf" ;;
    --lattice) words="fcc sc random" ;;
    --lengths | --ragged | --segments) words="default" ;;
    --methods) words="dropmd dropmd-offsets rank-1 rank-n rank-lg-n cub-segmented-sort cub-segmented-radix-sort cub-warp-merge-sort
                      cub-block-radix-sort bitonic odd-even-merge register-bitonic copy std-sort" ;;
    --designs) words="dropmd scatter gather gather-constant coarsened coalesced large-bins small-bins" ;;
    --forms) words="exact cut shift smoothed reaction-field mesh" ;;
    --charges) words="alternating random none" ;;
    --select) words="droplet" ;;
    --model) words="spce tip3p tip4p2005" ;;
    -o | --output | --forces | --topology | --choices | --resume | --png | --radial | --structure) files=all ;;
    --device | --threads | --steps | --seed | --timestep | --set | --max-hours | --self-check | --sample | --atoms | --radius | --density | --min-distance | --charge | \
      --disorder | --vapour | --vapour-radius | --random-seed | --keys | --energy-every | --cutoff | --spacing | --padding | \
      --origin | --points | --nearest | --temperature | --slice | --limit | --radial-width | --count | --species | --mass | \
      --distance | --ion-distance | --bin-capacity | --accuracy | --waters | --ions | --include | --define | --every | \
      --replicas | --vary | --means-from | --devices | --at-once) return ;;
    *)
      case $command in
        run) words="$common $method --devices --steps --seed --timestep --set --max-hours --self-check --wall --choices --resume
                    --dry-run" files=input ;;
        ensemble) words="$common $method --replicas --vary --steps --seed --timestep --set --means-from --devices --at-once
                         --max-hours --resume --dry-run" files=input ;;
        energy) words="$common $method --forces --wall" files=input ;;
        compare) words="$common $method --sample" files=input ;;
        map) words="$common $processor $grid --units --unit --temperature --field --png --slice --limit --radial --radial-width
                    --dry-run" files=input ;;
        clusters) words="$common --units --link-distance --trajectory" files=input ;;
        report) words="$common" files=input ;;
        convert) words="--units --every --select --structure --link-distance --json --force --quiet --help" files=all ;;
        ions) words="$common $processor $grid --units --charge --count --species --mass --distance --ion-distance" files=input ;;
        bench)
          words="forces map mesh sort step $common $method --atoms --lengths --ragged --keys --segments --methods --steps
                 --energy-every --tuner --forms --designs --density --cutoff --spacing --points
                 --random --scaling --bin-capacity --accuracy --mesh-order
                 --mesh-spacing --mesh-cutoff --vapour"
          if [[ ${COMP_WORDS[2]} =~ ^(mesh|step)$ ]] && (( COMP_CWORD > 2 )); then files=input; fi
          ;;
        generate)
          words="droplet water run $common --atoms --radius --density --lattice --min-distance --charge --charges
                 --disorder --vapour --vapour-radius --random-seed --waters --model --ions --units
                 --topology --include --define"
          if [[ ${COMP_WORDS[2]} == run ]] && (( COMP_CWORD > 2 )); then files=input; fi
          ;;
        info) words="--json --help" ;;
        help) words="$commands --help" ;;
      esac
      ;;
  esac

  if [[ -z $files || $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(
    compgen -d -- "$current"
    if [[ $files == all ]]; then
      compgen -f -- "$current"
    else
      compgen -f -- "$current" | grep -E '\.(toml|drop|xyz|extxyz|gro|pdb|ent|cif|mmcif)$'
    fi | while IFS= read -r name; do [[ -d $name ]] || printf '%s\n' "$name"; done)
}

complete -F _dropmd dropmd
