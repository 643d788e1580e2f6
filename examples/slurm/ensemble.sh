#!/bin/bash
# An ensemble over the GPUs of two nodes. Submitting it again continues the runs that are not over.
#   sbatch ensemble.sh droplet.toml results
# LAUNCH: what starts the ranks where it is not srun, such as "mpirun -n 8".
#SBATCH --job-name=ensemble
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-task=1
#SBATCH --cpus-per-task=4
#SBATCH --time=12:00:00
#SBATCH --output=%x-%j.log
set -euo pipefail

run_file=$1
folder=$2
replicas=${REPLICAS:-100}
hours=${HOURS:-11.8}
read -ra launch <<< "${LAUNCH:-srun --kill-on-bad-exit=1}"

if [[ -e $folder/ensemble.csv ]]; then
  "${launch[@]}" dropmd ensemble --resume "$folder" --max-hours "$hours"
else
  "${launch[@]}" dropmd ensemble "$run_file" --replicas "$replicas" --output "$folder" --max-hours "$hours"
fi
