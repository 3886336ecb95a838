#pragma once

#include <popdist/error.hpp>

/// The place of this process in a job of several instances, which poprun passes in environment
/// variables. Functions throw popdist_error if a variable is not a number.
namespace popdist {

/// Returns true if poprun has started this process.
bool isPopdistEnvSet();

/// Returns the number of replicas of all instances; 1 without poprun.
unsigned getNumTotalReplicas();

/// Returns the number of replicas of this instance; 1 without poprun.
unsigned getNumLocalReplicas();

/// Returns the number of IPUs of a replica; 1 without poprun.
unsigned getNumIpusPerReplica();

/// Returns false if poprun was given another number of IPUs for a replica.
bool checkNumIpusPerReplica(unsigned ipus);

/// Returns the number of the first replica of this instance; 0 without poprun.
unsigned getReplicaIndexOffset();

/// Returns the number of instances; 1 without poprun.
/// \throws popdist_error if instances have different numbers of replicas
unsigned getNumInstances();

/// Returns the number of this instance, from 0 on.
/// \throws popdist_error if instances have different numbers of replicas
unsigned getInstanceIndex();

/// Returns the number of this instance among the instances of its host, from 0.
unsigned getLocalInstanceIndex();

} // namespace popdist
