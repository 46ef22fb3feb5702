// Package accurate is Accurate, component "accurate-controller": namespaces as a tree. A SubNamespace in a namespace makes a namespace below it, and
// objects that are annotated are propagated from a namespace to those below, or to those that name it as their template.
//
// Names, labels, annotations, conditions, messages of the log and of the webhooks, and the order of writes are upstream's; the code is ours. Upstream has
// a controller with a queue for SubNamespaces, one for Namespaces and one for each kind that is propagated (config.yaml, watches); here, one queue has the
// keys of all of them, with their kinds. What is configured is in config.go.
//
// Simplified: requests for the same object come one after the other, as they would with upstream's one worker for each queue; copies are compared with
// their sources by the fields that the source has, with Go's equality of JSON (upstream: DeepDerivative). Absent: regular expressions for names (naming
// policies), the kubectl plugin, API version v1 and its conversion, propagate-generated, cascading deletion, moving.
//
// Upstream: github.com/cybozu-go/accurate, api/accurate/v2, internal/controller, internal/webhook/v2.
package accurate
