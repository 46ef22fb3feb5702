// Package teams is the controller that chapter "The hook's job, in Go" sets beside a hook of shell-operator, component "teams-operator": each namespace
// with the label kind=team gets a ResourceQuota and, when its ServiceAccount "default" is there, the label ready=yes.
//
// It is this book's own, written for operator/controllerruntime as for controller-runtime: it could be compiled for a real cluster with other imports.
//
// Absent: Events, leader election, metrics.
package teams
