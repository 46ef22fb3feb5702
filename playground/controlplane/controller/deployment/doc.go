// Package deployment is the Deployment controller: it makes one ReplicaSet of
// each version of a Pod template, and moves Pods from the old ones to the
// newest by changing how many each asks for. It never touches a Pod.
//
// A sync (deployment_controller.go) decides which of three things is due. After
// a change of spec.replicas, or while paused, it scales what there is
// (scale.go, proportionally when a roll-out is under way). Otherwise it rolls
// out: step by step within maxSurge and maxUnavailable (rolling.go), or all
// down and then all up (recreate.go). Each sync takes one step and writes the
// status (progress.go); the ReplicaSets' own changes bring the next.
//
// It guarantees what upstream's does: no step asks for more than replicas +
// maxSurge Pods, or gives up an available Pod when that leaves fewer than
// replicas - maxUnavailable; a template that came back gets its old ReplicaSet
// back under a new revision.
//
// Absent: the rollback that group extensions asked for by an annotation
// (rollback.go); kubectl rollout undo writes the old template itself. Metrics.
//
// Upstream: pkg/controller/deployment, and its package util, whose functions
// are here in conditions.go, revisions.go and replicas.go.
package deployment
