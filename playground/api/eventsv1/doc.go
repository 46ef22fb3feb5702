// Package eventsv1 holds the newer Event, which the core group serves in another shape.
//
// The types are generated from upstream's k8s.io/api/events/v1; see ../gen.
package eventsv1
