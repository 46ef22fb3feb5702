// Package samplecontroller is the smallest controller that has a kind of its
// own, component "sample-controller": for each Foo it keeps a Deployment, of the
// name and with the number of replicas that the Foo says.
//
// Names, messages and Events are those of kubernetes/sample-controller, so that
// one can be read beside the other; the code is ours. client.go stands for what
// upstream generates from the types. Added are mistakes that an author could
// have made (mistakes.go), which a cluster switches on and off.
//
// Simplified: Foos are decoded where they are read from the cache; upstream's
// informer decodes them where they arrive. Handlers log without a process of
// their own. A program that is told to stop ends at once, so nothing shuts its
// queue down.
//
// Upstream: k8s.io/sample-controller.
package samplecontroller
