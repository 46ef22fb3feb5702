// Package playground is the mini control plane. It holds no code of its own:
// this page is the map, and the tests beside it keep it true.
//
//	api                       the objects: generated types, registry, strict decoding, selectors
//	trace, sim                what a run leaves behind; time, order and chance
//	store                     revisions, watch, compaction (etcd and the storage layer)
//	workqueue                 keys between noticing and acting
//	client                    transport, clientset, reflector, informer, lister, event recorder
//	apiserver                 requests: admission, validation, storage, watch
//	controller/*              the controllers of the kube-controller-manager
//	scheduler, kubelet        the scheduler; a node's agent and its container runtime
//	kwok                      hollow nodes: what stands for many kubelets
//	metrics                   metrics-server: what Pods and nodes use
//	network                   the wire: packets, and the rules of each node's packet filter
//	proxy, dns, ingress       kube-proxy, the cluster's name server, an Ingress controller
//	netpolicy                 who may speak to whom
//	operator/*                controllers that a reader might write
//	kubectl                   what a person types, as requests
//	suggest                   the name that was probably meant
//	indent                    where YAML's lines would have to begin (host only)
//	cluster                   wires them; inputs and faults
//	scenario                  a demo as data, and its claims
//	demofile                  a demo as an author writes it (host only)
//	phrase, scene, recording  a moment as words, as shapes, as frames
//	session                   a scenario that runs, for whoever shows it
//	demofile/rehearsal        runs it, and says what turned out otherwise (host only)
//	chaos                     random experiments, and what holds in all of them
//	conformance               tests against what a real cluster said and did
//	cmd/trace                 prints a demo's trace (host only)
//
// Imports run one way only, down this list. Only apiserver imports store.
// Controllers, scheduler and kubelet meet through objects in the API alone.
package playground
