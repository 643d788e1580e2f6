#!/bin/bash
# A long run as a chain of jobs: each continues where the one before stopped, until the run is finished.
#   sbatch chain.sh droplet.toml results
#SBATCH --job-name=droplet
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --gres=gpu:1
#SBATCH --time=04:00:00
#SBATCH --output=%x-%j.log
set -euo pipefail

run_file=$1
folder=$2
hours=${HOURS:-3.9}  # less than --time, to leave time for the last checkpoint

if [[ -e $folder/checkpoint.h5 || -e $folder/checkpoint-previous.h5 ]]; then
  dropmd run --resume "$folder" --max-hours "$hours"
elif [[ -e $folder/status.json || -e $folder/energy.csv ]]; then  # a job that was killed before its first checkpoint
  dropmd run "$run_file" --output "$folder" --max-hours "$hours" --force
else
  dropmd run "$run_file" --output "$folder" --max-hours "$hours"
fi

# A failed run does not get here. The last job of the chain submits no other.
if ! grep -Eq '"state": *"finished"' "$folder/status.json"; then
  sbatch "${CHAIN:-chain.sh}" "$run_file" "$folder"
fi
