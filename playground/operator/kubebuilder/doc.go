// Package kubebuilder is an operator as kubebuilder lays it out, component "website-operator": for each Website it keeps a Deployment, a Service
// and a line in a ConfigMap.
//
// playground/examples/website is a project of its own, for a real cluster: api/v1, internal/controller, internal/webhook, cmd/main.go and config, as
// `kubebuilder init` and `kubebuilder create api` arrange them. The types, the reconciler and the webhooks in this package's folders are copies of that
// project's, with other imports (generator/dev/operator; a test compares them); they run on operator/controllerruntime. httpapi/conformance runs the
// project itself against a cluster on a port. Added are mistakes that an author could have made (mistakes.go).
package kubebuilder
