// Package playground is the mini control plane. It holds no code of its own:
// this page is the map, and the tests in check/policy keep it true.
//
//	api                   the objects: generated types, registry, strict decoding, selectors
//	trace                 what a run leaves behind: events, causes, call stacks
//	sim                   time, order and chance
//	controlplane/         what runs once in a cluster
//	    store             revisions, watch, compaction (etcd and the storage layer)
//	    workqueue         keys between noticing and acting
//	    client            transport, clientset, reflector, informer, lister, event recorder
//	    requestinfo       what an HTTP request asks for
//	    discovery         which groups, versions and resources there are
//	    transport         what is on its way between clients and the API server
//	    apiserver         requests: admission, validation, storage, watch
//	    controller/*      the controllers of the kube-controller-manager
//	    scheduler         which node a Pod goes to
//	    cloud             the cloud-controller-manager, and a cloud
//	node/                 what runs on each node, or takes the place of nodes
//	    kubelet           a node's agent and its container runtime
//	    csi               calls of storage drivers, and the sockets that they come by
//	    network           the wire: packets, and the rules of each node's packet filter
//	    proxy, dns        kube-proxy, and the cluster's name server
//	    ingress           an Ingress controller
//	    netpolicy         who may speak to whom
//	    kwok              hollow nodes: one program instead of many kubelets
//	    metrics           metrics-server: what Pods and nodes use
//	operator/*            controllers that a reader might write, and a storage driver with its sidecars
//	examples              a controller as it is written for real clusters, a module of its own (host only)
//	kubectl/kustomize     what a kustomization builds, for kubectl
//	kubectl               what a person types, as requests
//	cluster               connects all of these; inputs and faults
//	    suggest           the name that was probably meant
//	endpoints             HTTP requests and their answers, for hosts that carry them
//	jsapi                 a cluster for programs in JavaScript
//	httpapi               a cluster on a port, for the real kubectl (host only)
//	demo/                 a run of a cluster, as a book shows it
//	    scenario          a demo as data, and its claims
//	    phrase            a moment as words
//	    scene             a moment as shapes
//	    score             when each event is shown, and what is told in words
//	    recording         a run as frames
//	    session           a scenario that runs, for whoever shows it
//	    yamltree          YAML that people write, with the place of everything (host only)
//	    demofile          a demo as an author writes it (host only)
//	    demofile/rehearsal  runs it, and reports what turned out otherwise (host only)
//	    link              links to a moment of a demo, which the page writes (host only)
//	check/                what holds the rest to its promises
//	    broken            tests: what random experiments say when the control plane is broken on purpose
//	    chaos             random experiments, and what holds in all of them
//	    conformance       tests against what a real cluster said and did
//	    mutants           breaks the core in small ways, and lists what no test notices (host only)
//	    policy            tests: who may import whom, and what would break determinism
//	    trace             the command that prints a demo's trace, on both hosts (host only)
//
// Imports run one way only, down this list. Only apiserver imports store.
// Controllers, scheduler and kubelet meet through objects in the API alone.
package playground
