//go:build !js || cel

package api

import (
	"kubewalk/playground/api/nodev1"
	"kubewalk/playground/api/schema"
)

// The groups and versions of the rare kinds.
var (
	node = schema.GroupVersion{Group: "node.k8s.io", Version: "v1"}
)

func init() {
	rareKinds = []*Kind{
		{GroupVersionKind: node.WithKind("RuntimeClass"), Resource: "runtimeclasses", Singular: "runtimeclass",
			New: func() Object { return new(nodev1.RuntimeClass) }, NewList: func() List { return new(nodev1.RuntimeClassList) }},
	}
	for _, k := range rareKinds {
		k.rare = true
	}
	byType, byKind, byResource = index()
}
