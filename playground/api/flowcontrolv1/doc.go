// Package flowcontrolv1 holds FlowSchemas and PriorityLevelConfigurations.
//
// The types are generated from upstream's k8s.io/api/flowcontrol/v1; see ../gen.
package flowcontrolv1
