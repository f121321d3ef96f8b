/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The ebb authors. */
/*
 * The plugin acct_gather_energy/ebb: the energy of each step by itself, as ebb energy --machine divides it, where
 * Slurm's own plugins give each step the whole node's. It asks for no right and waits for nobody.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "jobs.h"

#ifndef EBB_JOBS
#define EBB_JOBS "/run/ebb/jobs"
#endif

const char plugin_name[] = "energy of each step by itself, from ebb";
const char plugin_type[] = "acct_gather_energy/ebb";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

/* Slurm reads from several threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t started; /* as jobs.h has it */
static char step[128];   /* "" until it is found; a step whose tasks have ended has no children to find it by */
static struct energy last;

int init(void)
{
	started = jobs_now();
	return SLURM_SUCCESS;
}

int fini(void)
{
	return SLURM_SUCCESS;
}

static uint32_t watts(uint64_t nj, uint64_t ns)
{
	return ns ? (uint32_t)(nj / ns) : 0;
}

static void energy(acct_gather_energy_t *out)
{
	struct energy now;

	memset(out, 0, sizeof *out);
	out->poll_time = time(NULL);
	out->ave_watts = out->current_watts = NO_VAL;
	out->base_consumed_energy = 0;
	out->consumed_energy = out->previous_consumed_energy = NO_VAL64;
	pthread_mutex_lock(&lock);
	if (!step[0] && jobs_own_step(step, sizeof step))
		step[0] = 0;
	if (step[0] && !jobs_read(EBB_JOBS, step, started, &now)) {
		out->consumed_energy = (now.nj + 500000000) / 1000000000;
		out->previous_consumed_energy = (last.nj + 500000000) / 1000000000;
		out->ave_watts = now.at > started ? watts(now.nj, now.at - started) : 0;
		out->current_watts = now.nj >= last.nj && last.at && now.at > last.at ?
			watts(now.nj - last.nj, now.at - last.at) : out->ave_watts;
		last = now;
	}
	pthread_mutex_unlock(&lock);
}

int acct_gather_energy_p_update_node_energy(void)
{
	return SLURM_SUCCESS;
}

int acct_gather_energy_p_get_data(enum acct_energy_type type, void *data)
{
	switch (type) {
	case ENERGY_DATA_JOULES_TASK:
	case ENERGY_DATA_STRUCT:
	case ENERGY_DATA_NODE_ENERGY:
	case ENERGY_DATA_NODE_ENERGY_UP:
		energy(data);
		return SLURM_SUCCESS;
	case ENERGY_DATA_LAST_POLL:
		*(time_t *)data = time(NULL);
		return SLURM_SUCCESS;
	case ENERGY_DATA_SENSOR_CNT:
		*(uint16_t *)data = 1;
		return SLURM_SUCCESS;
	default:
		return SLURM_ERROR;
	}
}

int acct_gather_energy_p_set_data(enum acct_energy_type type, void *data)
{
	(void)type;
	(void)data;
	return SLURM_SUCCESS;
}

/* There is nothing to configure. */
void acct_gather_energy_p_conf_options(void *options, int *count)
{
	(void)options;
	(void)count;
}

void acct_gather_energy_p_conf_set(int context, void *table)
{
	(void)context;
	(void)table;
}

void acct_gather_energy_p_conf_values(void *data)
{
	(void)data;
}
