// Package secretdistributor is a controller that brings Secrets to where they are needed, component "secret-distributor": a Secret of the namespace
// "platform" says by an annotation in which namespaces there is to be a copy of it, and each copy follows its source. Copies that nobody asks for any
// more are collected.
//
// There is no such program upstream. A talk of 2019 told of one that distributes and collects Secrets where each microservice has a namespace; what that one
// looked like is not known. This one is written as kubernetes/sample-controller is, for one reason: it has no kind of its own. Owner references do
// not lead from one namespace to another, so a label marks the copies, and whose copy one is follows from its name. Nothing is kept but that: whatever
// happened while the program did not run, it sees in its caches when it starts.
//
// Added are mistakes that an author could have made (mistakes.go), which a cluster switches on and off.
//
// Simplified: a program that is told to stop ends at once, so nothing shuts its queue down; there is one worker, and no leader election.
package secretdistributor
