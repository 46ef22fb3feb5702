// Package shelloperator is Flant's shell-operator, component "shell-operator": it runs scripts, its hooks, when objects in the cluster
// change. It runs in a Pod, in the container of its image: the hooks are files of that container, which the container's shell runs, with
// kubectl and jq (Container). Its informers, its queues and the hooks' processes are of this component, and its requests are the Pod's
// ServiceAccount's.
//
// At its start it runs each executable file below /hooks with --config and reads what it prints (config.go). Then the queue "main" gets
// the hooks with onStartup, and for each hook with kubernetes bindings a task that lists what exists, runs the hook with it
// (Synchronization) and lets events come from there on (binding.go). A queue runs one hook at a time. What waits behind the hook for the
// same hook goes along with it. A hook that fails is run again, after 5 s and then ever later, up to 32 s, and everything behind it waits;
// with allowFailure it is not (operator.go). SIGTERM has it begin nothing more, and wait 10 s for the hook that runs.
//
// Simplified: bindings to one resource share an informer, and select its objects themselves unless they all want the same ones; the list
// before it is made once for each binding. A crontab has five fields. Only one shell-operator runs in a cluster at a time; another one
// waits for it.
//
// Absent, and refused when a hook asks for it: groups and snapshots, fieldSelector, namespaces by label, settings,
// webhooks. A hook can change objects with kubectl alone, not by KUBERNETES_PATCH_PATH; there are no metrics, and no configuration v0.
//
// Upstream: github.com/flant/shell-operator 1.x, pkg/shell-operator, pkg/hook, pkg/task/queue and pkg/kube_events_manager.
package shelloperator
