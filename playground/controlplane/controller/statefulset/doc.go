// Package statefulset is the StatefulSet controller: it keeps Pods with
// identities, web-0, web-1, web-2, each with a name, labels and claims that
// outlive it.
//
// What a StatefulSet was at any time is kept as ControllerRevisions
// (revisions.go): the current one, which all Pods are of, and while it is being
// updated the update revision, which they become, from the highest ordinal
// down. One sync (stateful_set_control.go) goes through the ordinals in order.
// With podManagementPolicy OrderedReady it stops at the first Pod that it had
// to create, or has to wait for; with Parallel it does all at once.
//
// It guarantees what upstream's does: never two Pods of one ordinal, since names
// are fixed and a Pod is only made anew when the old one is gone from the API;
// in order, no Pod is created before those below it are available, none deleted
// before those above it are gone.
//
// 1.36 has the gate MaxUnavailableStatefulSet off by default: its API server
// drops updateStrategy.rollingUpdate.maxUnavailable. Here the field is kept, and
// whoever sets it gets what the gate brings; without it updates go as in 1.36.
// Absent: metrics. All other gates of 1.36 are at their defaults.
//
// Upstream: pkg/controller/statefulset.
package statefulset
