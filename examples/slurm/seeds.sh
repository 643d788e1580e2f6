#!/bin/bash
# The same run with twenty seeds as a job array, each in a folder of its own. Submitting it again resumes those that are
# not finished.
#   sbatch seeds.sh droplet.toml
#SBATCH --job-name=seeds
#SBATCH --array=1-20
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --time=12:00:00
#SBATCH --output=%x-%A-%a.log
set -euo pipefail

run_file=$1
seed=$SLURM_ARRAY_TASK_ID
folder=seed-$seed
hours=${HOURS:-11.8}

if [[ -e $folder/checkpoint.h5 || -e $folder/checkpoint-previous.h5 ]]; then
  dropmd run --resume "$folder" --max-hours "$hours"
elif [[ -e $folder/status.json || -e $folder/energy.csv ]]; then  # a job that was killed before its first checkpoint
  dropmd run "$run_file" --seed "$seed" --output "$folder" --max-hours "$hours" --force
else
  dropmd run "$run_file" --seed "$seed" --output "$folder" --max-hours "$hours"
fi
