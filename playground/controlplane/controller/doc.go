// Package controller holds what all controllers of workloads share: the
// expectations that keep a stale cache from doing work twice, the claiming of
// Pods, ReplicaSets and ControllerRevisions by owner reference, the creation and
// deletion of Pods with events, the order in which Pods are given up, the hash
// of a Pod template, taints on Nodes, and the Pods that a selector selects, kept
// up as they change.
//
// Names follow upstream's pkg/controller/controller_utils.go and
// controller_ref_manager.go, which are one package there too.
//
// Absent: locks, because one process runs at a time.
package controller

import (
	"kubewalk/playground/api"
	"kubewalk/playground/sim"
)

// KeyFunc is the work queue key of an object: "namespace/name", or "name" when
// it has no namespace. Upstream: cache.DeletionHandlingMetaNamespaceKeyFunc,
// whose part for tombstones is in the handlers here.
func KeyFunc(obj api.Object) string {
	if ns := obj.GetNamespace(); ns != "" {
		return ns + "/" + obj.GetName()
	}
	return obj.GetName()
}

// KObj names an object in a log line, as klog.KObj does.
func KObj(obj api.Object) string { return KeyFunc(obj) }

// HandleError reports an error that nobody is there to return to.
// Upstream: apimachinery/pkg/util/runtime HandleError.
func HandleError(log sim.Logger, err error, message string, kv ...any) {
	if err != nil {
		log.Error(err, message, kv...)
	}
}
