package broken

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/check/chaos"
)

// fault is one way in which the control plane is broken.
type fault struct {
	name string
	file string // below playground/
	text string // what is there, once in the file
	// instead is what takes its place. BROKEN in it stands for a call that tells whether the fault is on.
	instead string
	// says is the invariant that has to report it, or the ingredient whose own conditions have to, "" in what only belongs to another
	// fault of that name; with is the ingredient that experiments need to meet it, "" for none.
	says, with string
	// within is how many experiments may pass until it is reported.
	within int
}

var faults = []fault{
	{name: "a roll-out takes one Pod more than maxSurge", file: "controlplane/controller/deployment/replicas.go",
		text:    "maxTotalPods := *d.Spec.Replicas + maxSurge\n",
		instead: "maxTotalPods := *d.Spec.Replicas + maxSurge\n if BROKEN { maxTotalPods++ }\n",
		says:    "roll-outs keep to maxSurge", with: "deployments", within: 60},
	{name: "a roll-out gives up one Pod more than maxUnavailable", file: "controlplane/controller/deployment/rolling.go",
		text:    "\tavailablePodCount := GetAvailableReplicaCountForReplicaSets(allRSs)\n",
		instead: "if BROKEN { minAvailable-- }\n availablePodCount := GetAvailableReplicaCountForReplicaSets(allRSs)\n",
		says:    "roll-outs keep to maxUnavailable", with: "deployments", within: 60},
	{name: "the kubelet lets a Pod go whose containers still run", file: "node/kubelet/status/manager.go",
		text:    "return pod.DeletionTimestamp != nil && isTerminal(phase) && podIsFinished",
		instead: "return pod.DeletionTimestamp != nil && (BROKEN || isTerminal(phase) && podIsFinished)",
		says:    "one container for an ordinal", with: "statefulsets", within: 60},
	{name: "the API server admits what a quota has no room for", file: "controlplane/apiserver/admission/resource_quota.go",
		text:    "!allowed {",
		instead: "!allowed && !BROKEN {",
		says:    "quotas are not exceeded", with: "quotas", within: 60},
	{name: "a charge to a quota overwrites another one", file: "controlplane/apiserver/admission/resource_quota.go",
		text:    "used, err := checkRequest(a, now, delta)",
		instead: "seen := now; if BROKEN { seen = q }; used, err := checkRequest(a, seen, delta)",
		says:    "quotas are not exceeded", with: "quotas", within: 400},
	{name: "the scheduler does not look for CPU", file: "controlplane/scheduler/framework/plugins/node_resources_fit.go",
		text:    "check(corev1.ResourceCPU, r.MilliCPU,",
		instead: "check(corev1.ResourceCPU, map[bool]int64{false: r.MilliCPU}[BROKEN],",
		says:    "what is bound fits its node", with: "priorities", within: 60},
	{name: "the scheduler does not look for memory", file: "controlplane/scheduler/framework/plugins/node_resources_fit.go",
		text:    "check(corev1.ResourceMemory, r.Memory,",
		instead: "check(corev1.ResourceMemory, map[bool]int64{false: r.Memory}[BROKEN],",
		says:    "what is bound fits its node", with: "amounts", within: 200},
	{name: "the scheduler does not look for ephemeral storage", file: "controlplane/scheduler/framework/plugins/node_resources_fit.go",
		text:    "check(corev1.ResourceEphemeralStorage, r.EphemeralStorage,",
		instead: "check(corev1.ResourceEphemeralStorage, map[bool]int64{false: r.EphemeralStorage}[BROKEN],",
		says:    "what is bound fits its node", with: "amounts", within: 200},
	{name: "the scheduler does not look for extended resources", file: "controlplane/scheduler/framework/plugins/node_resources_fit.go",
		text:    "check(s.Name, s.Value,",
		instead: "check(s.Name, map[bool]int64{false: s.Value}[BROKEN],",
		says:    "what is bound fits its node", with: "amounts", within: 200},
	{name: "the scheduler does not count Pods", file: "controlplane/scheduler/framework/plugins/node_resources_fit.go",
		text:    "len(node.Pods)+1 > node.Allocatable.AllowedPodNumber {",
		instead: "len(node.Pods)+1 > node.Allocatable.AllowedPodNumber && !BROKEN {",
		says:    "what is bound fits its node", with: "amounts", within: 400},
	{name: "the scheduler forgets what it has assumed", file: "controlplane/scheduler/cache/cache.go",
		text:    "\tc.assumed[pod.UID] = true\n",
		instead: "if BROKEN { _ = c.nodes[pod.Spec.NodeName].RemovePod(pod.UID) }\n c.assumed[pod.UID] = true\n",
		says:    "what is bound fits its node", with: "priorities", within: 60},
	{name: "a write ignores which version its author has seen", file: "controlplane/apiserver/registry/store.go",
		text:    "if next.GetResourceVersion() != current.GetResourceVersion() {",
		instead: "if BROKEN { next.SetResourceVersion(current.GetResourceVersion()) }\n if next.GetResourceVersion() != current.GetResourceVersion() {",
		says:    "answers are linearizable", within: 20},
	{name: "a read is answered with what was there a moment ago", file: "controlplane/apiserver/registry/store.go",
		text: "func (e *Store) Get(p *sim.Proc, namespace, name string) (api.Object, error) {\n",
		instead: "func (e *Store) Get(p *sim.Proc, namespace, name string) (api.Object, error) {\n if BROKEN { for _, old := range " +
			"e.Storage.At(e.Kind.Resource, namespace, max(e.Storage.Compacted(), e.Storage.Revision()-1)) { if old.GetName() == name { return old, nil } } }\n",
		says: "answers are linearizable", within: 20},
	{name: "a client whose connection breaks sends its write again", file: "controlplane/transport/call.go",
		text:    "if c.RetryAfter == 0 || attempt > maxRetries {",
		instead: "if BROKEN && c.code == 0 && c.err != nil && attempt < 5 { p.Sleep(time.Second); continue }\n if c.RetryAfter == 0 || attempt > maxRetries {",
		says:    "answers are linearizable", with: "unanswered writes", within: 60},
	{name: "a list is of a moment before the revision that it bears", file: "controlplane/apiserver/list.go",
		text: "\tobjects, revision, err := s.read(p, c, e, from)\n",
		instead: "objects, revision, err := s.read(p, c, e, from)\n if BROKEN && revision > s.store.Compacted() {" +
			" objects = s.store.At(e.Kind.Resource, c.Request.Namespace, revision-1) }\n",
		says: "lists are snapshots", within: 60},
	{name: "a list leaves out the last object", file: "controlplane/apiserver/list.go",
		text:    "\tlist.SetItems(items)\n",
		instead: "if BROKEN && len(items) > 3 { items = items[:len(items)-1] }\n list.SetItems(items)\n",
		says:    "lists are snapshots", within: 20},
	{name: "the watch cache has events missing and does not say 410", file: "controlplane/apiserver/cacher/cacher.go",
		text:    "revision < oldest-1 {",
		instead: "revision < oldest-1 && !BROKEN {",
		says:    "watches get what matches", with: "compaction", within: 400},
	{name: "an informer that lists again keeps what it had", file: "controlplane/client/cache/reflector.go",
		text: "if err := r.store.Replace(items, version); err != nil {",
		instead: "if BROKEN && r.lastSyncResourceVersion != \"\" { r.lastSyncResourceVersion = version; return nil }\n" +
			"if err := r.store.Replace(items, version); err != nil {",
		says: "caches hold what is stored", within: 60},
	{name: "an informer applies an update twice", file: "controlplane/client/cache/reflector.go",
		text:    "err = r.store.Update(event.Object)",
		instead: "if BROKEN { _ = r.store.Update(event.Object) }; err = r.store.Update(event.Object)",
		says:    "caches apply each event once", within: 20},
	{name: "an informer does not hear of deletions", file: "controlplane/client/cache/reflector.go",
		text:    "err = r.store.Delete(event.Object)",
		instead: "if !BROKEN { err = r.store.Delete(event.Object) }",
		says:    "caches apply each event once", within: 20},
	{name: "a deletion does not wait for finalizers", file: "controlplane/apiserver/registry/delete.go",
		text:    "pendingFinalizers = len(marked.GetFinalizers()) > 0",
		instead: "pendingFinalizers = len(marked.GetFinalizers()) > 0 && !BROKEN",
		says:    "nothing goes with finalizers", within: 200},
	{name: "the collector takes any owner for gone", file: "controlplane/controller/garbagecollector/garbagecollector.go",
		text:    "if gc.graph.absentOwners.has(identity) {",
		instead: "if BROKEN || gc.graph.absentOwners.has(identity) {",
		says:    "the collector takes no owned object", with: "ownership", within: 60},
	{name: "a Pod that has a node gets another one", file: "controlplane/apiserver/registry/subresources.go",
		text:    "case pod.Spec.NodeName != \"\":",
		instead: "case pod.Spec.NodeName != \"\" && !BROKEN:",
		says:    "no Pod is bound twice", within: 60},
	{name: "a Pod that has a node gets another one", file: "controlplane/scheduler/cache/cache.go", // which would not go on otherwise
		text:    "if s.pod.Spec.NodeName != newPod.Spec.NodeName {",
		instead: "if s.pod.Spec.NodeName != newPod.Spec.NodeName && !BROKEN {"},
	{name: "etcd commits whatever was there meanwhile", file: "controlplane/store/write.go",
		text:    "if s.Current(key) != seen {",
		instead: "if s.Current(key) != seen && !BROKEN {",
		says:    "revisions count by one", within: 60},
	{name: "a worker takes an item without knowing why", file: "controlplane/workqueue/queue.go",
		text:    "\tp.Due(q.dirty[item])\n",
		instead: "if !BROKEN { p.Due(q.dirty[item]) }\n",
		says:    "every event has a cause", within: 20},
	{name: "a work queue forgets what is added while it is processed", file: "controlplane/workqueue/queue.go",
		text:    "\tif again {\n\t\tposition = len(q.queue)\n",
		instead: "if again && BROKEN { delete(q.dirty, item); again = false }\n if again {\n\t\tposition = len(q.queue)\n",
		says:    "queues lose nothing", within: 60},
	{name: "a ReplicaSet's controller does not notice that the Pods it deletes are gone", file: "controlplane/controller/replicaset/handlers.go",
		text:    "\trsc.expectations.DeletionObserved(log, key, controller.PodKey(pod))\n",
		instead: "if !BROKEN { rsc.expectations.DeletionObserved(log, key, controller.PodKey(pod)) }\n",
		says:    "the cluster settles", with: "replicasets", within: 60},
	{name: "a disk is taken from a node that has it mounted", file: "controlplane/controller/attachdetach/reconcile.go",
		text:    "if a.mountedByNode && !forceDetach",
		instead: "if a.mountedByNode && !BROKEN && !forceDetach",
		says:    "CSI", with: "CSI", within: 60},
	{name: "a volume goes and leaves its disk", file: "operator/csi/provisioner/provisioner.go",
		text:    "pc.driver.Call(p, csi.DeleteVolume, ",
		instead: "pc.driver.Call(p, map[bool]string{false: csi.DeleteVolume, true: csi.Probe}[BROKEN], ",
		says:    "CSI", with: "CSI", within: 60},
	{name: "the attacher says that a disk is attached and does not ask the driver", file: "operator/csi/attacher/attacher.go",
		text:    "if va.Status.Attached {",
		instead: "if BROKEN { next := va.DeepCopy(); next.Status.Attached = true; _, err := a.patch(p, va, next, \"status\"); return err }\n if va.Status.Attached {",
		says:    "the cluster settles", with: "CSI", within: 60},
	{name: "a snapshot is ready as soon as it is taken", file: "operator/csi/snapshotter/snapshotter.go",
		text:    "\tif content, err = s.update(p, content, out); err != nil {\n",
		instead: "if BROKEN { out.ReadyToUse = true }\n if content, err = s.update(p, content, out); err != nil {\n",
		says:    "CSI", with: "CSI", within: 60},
	{name: "a content goes and leaves its snapshot", file: "operator/csi/snapshotter/snapshotter.go",
		text:    "s.driver.Call(p, csi.DeleteSnapshot, ",
		instead: "s.driver.Call(p, map[bool]string{false: csi.DeleteSnapshot, true: csi.Probe}[BROKEN], ",
		says:    "CSI", with: "CSI", within: 200},
	{name: "the cloud does not know a snapshot again", file: "operator/csi/driver/snapshots.go",
		text:    "if s.name == name {",
		instead: "if s.name == name && !BROKEN {",
		says:    "CSI", with: "CSI", within: 60},
	{name: "a VolumeSnapshot goes and leaves its content", file: "operator/csi/snapshotcontroller/snapshot.go",
		text:    "cascades := content != nil && ",
		instead: "cascades := !BROKEN && content != nil && ",
		says:    "CSI", with: "CSI", within: 200},
	{name: "a VolumeSnapshot does not hear that it is ready", file: "operator/csi/snapshotcontroller/snapshot.go",
		text:    "status, ready, updated := next.Status, content.Ready(), ",
		instead: "status, ready, updated := next.Status, content.Ready() && !BROKEN, ",
		says:    "the cluster settles", with: "CSI", within: 60},
	{name: "a claim is kept after its snapshot has been taken", file: "operator/csi/snapshotcontroller/snapshot.go",
		text:    "*of == claim.Name && !other.Ready() {",
		instead: "*of == claim.Name && (BROKEN || !other.Ready()) {",
		says:    "the cluster settles", with: "CSI", within: 60},
	{name: "a claim of a snapshot gets an empty disk", file: "operator/csi/provisioner/provisioner.go",
		text:    "SnapshotID: snapshot})",
		instead: "SnapshotID: map[bool]string{false: snapshot}[BROKEN]})",
		says:    "CSI", with: "CSI", within: 60},
	{name: "a Machine goes and leaves its instance", file: "operator/clusterapi/infrastructure/toymachine.go",
		text:    "if name != \"\" && !r.cloud.Terminate(ctx.Proc, name) {",
		instead: "if name != \"\" && !BROKEN && !r.cloud.Terminate(ctx.Proc, name) {",
		says:    "the cluster settles", with: "Cluster API", within: 60},
	{name: "a provider forgets the instance of which it has not written down the name", file: "operator/clusterapi/infrastructure/toymachine.go",
		text:    "if name == \"\" { // perhaps",
		instead: "if name == \"\" && !BROKEN { // perhaps",
		says:    "the cluster settles", with: "Cluster API", within: 400},
	{name: "a Machine goes and leaves its Node", file: "operator/clusterapi/core/delete.go",
		text:    "\tif notAllowed == nil {\n",
		instead: "\tif notAllowed == nil && !BROKEN {\n",
		says:    "the cluster settles", with: "Cluster API", within: 60},
	{name: "a Node goes and leaves its route", file: "controlplane/cloud/route_controller.go",
		text:    "(route.Blackhole || !needed) {",
		instead: "(route.Blackhole || !needed) && !BROKEN {",
		says:    "cloud", with: "cloud", within: 400},
	{name: "a Node without a route says that it has one", file: "controlplane/cloud/route_controller.go",
		text:    "made := len(there[nodes[i].Name]) > 0\n",
		instead: "made := len(there[nodes[i].Name]) > 0\n if BROKEN { there[nodes[i].Name] = nil }\n",
		says:    "cloud", with: "cloud", within: 400},
	{name: "a route is asked for once, whatever comes of it", file: "controlplane/cloud/route_controller.go",
		text:    "if !there[node.Name][cidr] {",
		instead: "if !there[node.Name][cidr] && (!BROKEN || p.Now() < 15*time.Second) {",
		says:    "the cluster settles", with: "cloud", within: 400},
	{name: "copies are not changed with their source", file: "operator/accurate/propagate.go",
		text:    "\tif same, err := c.same(w, source, now); err != nil || same {\n",
		instead: "\tif same, err := c.same(w, source, now); err != nil || same || BROKEN {\n",
		says:    "the cluster settles", with: "Accurate", within: 60},
	{name: "a SubNamespace takes a namespace that goes for one that stays", file: "operator/accurate/controller.go",
		text:    "\tDeleteFunc: func(obj any) { c.childChanged(known(obj)) },\n",
		instead: "\tDeleteFunc: func(obj any) { if !BROKEN { c.childChanged(known(obj)) } },\n",
		says:    "the cluster settles", with: "Accurate", within: 60},
	{name: "metrics-server tells of Pods of which it has no two readings", file: "node/metrics/api.go",
		text:    "complete := len(prev) > 0\n",
		instead: "complete := len(prev) > 0 || BROKEN\n",
		says:    "metrics-server", with: "metrics-server", within: 200},
	{name: "metrics-server is never ready", file: "node/metrics/server.go",
		text:    "s.ready = !s.ready\n",
		instead: "s.ready = !s.ready && !BROKEN\n",
		says:    "the cluster settles", with: "metrics-server", within: 60},
	{name: "a group's members are bound one by one", file: "controlplane/scheduler/coscheduling/coscheduling.go",
		text:    "n < g.Spec.MinMember {\n\t\terr = ",
		instead: "n < g.Spec.MinMember && !BROKEN {\n\t\terr = ",
		says:    "scheduler plugins", with: "scheduler plugins", within: 60},
	{name: "a group's members are bound one by one", file: "controlplane/scheduler/coscheduling/coscheduling.go", // which would wait for the others
		text:    "if assigned+1 < g.Spec.MinMember {",
		instead: "if assigned+1 < g.Spec.MinMember && !BROKEN {"},
	{name: "the scheduler does not listen to its extender", file: "controlplane/scheduler/extender/extender.go",
		text:    "\treturn filtered, result.FailedNodes, ",
		instead: "if BROKEN { filtered, result.FailedNodes = nodes, nil }\n return filtered, result.FailedNodes, ",
		says:    "scheduler plugins", with: "scheduler plugins", within: 60},
	{name: "a mirror that was deleted does not come again", file: "node/kubelet/static.go",
		text:    "if err := s.create(p, pod, node); err != nil {",
		instead: "if BROKEN && p.Now() > 10*time.Second { return }\n if err := s.create(p, pod, node); err != nil {",
		says:    "the cluster settles", with: "kubeadm", within: 60},
	{name: "kubeadm's token lets nobody ask for a certificate", file: "operator/kubeadm/join.go",
		text:    "\tcsr.Spec.SignerName = signer\n",
		instead: "\tcsr.Spec.SignerName = map[bool]string{false: signer, true: \"example.com/none\"}[BROKEN]\n",
		says:    "the cluster settles", with: "kubeadm", within: 60},
	{name: "the scheduler does not look at which devices are in use", file: "controlplane/scheduler/dynamicresources/manager.go",
		text:    "\tfor _, claim := range m.claims.List() {\n",
		instead: "\tfor _, claim := range m.claims.List() {\n if BROKEN { continue }\n",
		says:    "devices", with: "devices", within: 60},
	{name: "the scheduler allocates a claim and does not reserve it", file: "controlplane/scheduler/dynamicresources/bind.go",
		text:    "\t\tclaim.Status.ReservedFor = append(claim.Status.ReservedFor, ",
		instead: "\t\tif !BROKEN { claim.Status.ReservedFor = append(claim.Status.ReservedFor, ",
		says:    "devices", with: "devices", within: 60},
	{name: "the scheduler allocates a claim and does not reserve it", file: "controlplane/scheduler/dynamicresources/bind.go",
		text:    "\t\tif claim.Status.Allocation == nil {\n\t\t\treturn fmt.Errorf(\"claim %s got deallocated",
		instead: "\t\t}\n\t\tif claim.Status.Allocation == nil {\n\t\t\treturn fmt.Errorf(\"claim %s got deallocated"},
	{name: "a Pod goes where its claim is not", file: "controlplane/scheduler/dynamicresources/plugin.go",
		text:    "a != nil && a.NodeSelector != nil && !nodeaffinity.",
		instead: "a != nil && a.NodeSelector != nil && !BROKEN && !nodeaffinity.",
		says:    "devices", with: "devices", within: 200},
	{name: "a claim stays reserved for a Pod that is gone", file: "controlplane/controller/resourceclaim/sync_claim.go",
		text:    "\tif slices.Contains(ec.deleted, r.UID) {\n",
		instead: "\tif BROKEN { return true, nil }\n\tif slices.Contains(ec.deleted, r.UID) {\n",
		says:    "the cluster settles", with: "devices", within: 60},
	{name: "a claim of a template has no owner", file: "controlplane/controller/resourceclaim/controller.go",
		text:    "\tclaim, err := ec.client.ResourceV1().ResourceClaims(pod.Namespace).Create(",
		instead: "\tif BROKEN { isTrue = false }\n\tclaim, err := ec.client.ResourceV1().ResourceClaims(pod.Namespace).Create(",
		says:    "the cluster settles", with: "devices", within: 60},
	{name: "a claim that is to go is let go while Pods use it", file: "controlplane/controller/resourceclaim/sync_claim.go",
		text: "\tcase has && claim.DeletionTimestamp != nil && len(remaining) == 0:\n",
		instead: "\tcase BROKEN && has && claim.DeletionTimestamp != nil:\n return ec.release(p, claim)\n" +
			"\tcase has && claim.DeletionTimestamp != nil && len(remaining) == 0:\n",
		says: "devices", with: "devices", within: 200},
	{name: "the kubelet starts a Pod for which its claim is not reserved", file: "node/kubelet/dra/manager.go",
		text:    "if !resourceclaim.IsReservedForPod(pod, claim) {",
		instead: "if !resourceclaim.IsReservedForPod(pod, claim) && !BROKEN {",
		says:    "devices", with: "devices", within: 200},
	{name: "the kubelet does not have devices prepared", file: "node/kubelet/dra/manager.go",
		text:    "if info.prepared {",
		instead: "if info.prepared || BROKEN {",
		says:    "devices", with: "devices", within: 60},
	{name: "a Website leaves its line behind", file: "operator/kubebuilder/internal/controller/website_controller.go",
		text:    "\t\tdelete(directory.Data, website.Name)\n",
		instead: "\t\tif !BROKEN { delete(directory.Data, website.Name) }\n",
		says:    "the cluster settles", with: "Websites", within: 60},
	{name: "an owner without a namespace is looked for in one", file: "operator/controllerruntime/controller/controller.go",
		text:    "!kind.Namespaced {",
		instead: "!kind.Namespaced && !BROKEN {",
		says:    "the cluster settles", with: "namespaces of teams", within: 60},
	{name: "sample-controller does not compare replicas", file: "operator/samplecontroller/controller.go",
		text:    "if foo.Spec.Replicas != nil && *foo.",
		instead: "if !BROKEN && foo.Spec.Replicas != nil && *foo.",
		says:    "the cluster settles", with: "Foos", within: 60},
	{name: "shell-operator runs no hook for what is there when it starts", file: "operator/shelloperator/operator.go",
		text:    "skip := b.ExecuteHookOnSynchronization != nil && ",
		instead: "skip := BROKEN || b.ExecuteHookOnSynchronization != nil && ",
		says:    "the cluster settles", with: "a hook", within: 100},
}

// uncharged are names that a quota may limit, one by one: all of those in experiments with amounts.
var uncharged = []string{"pods", "count/pods", "requests.cpu", "limits.cpu", "requests.memory", "limits.memory", "requests.ephemeral-storage",
	"limits.ephemeral-storage", "requests.example.com/gadget", "services", "count/services", "services.nodeports", "services.loadbalancers",
	"persistentvolumeclaims", "requests.storage"}

func init() {
	const text = "\tusage := e.Usage(a.Object, p.Time())\n"
	for _, name := range uncharged {
		faults = append(faults, fault{name: "the API server does not charge " + name, file: "controlplane/apiserver/admission/resource_quota.go",
			text: text, instead: text + fmt.Sprintf("if BROKEN { usage = maps.Clone(usage); delete(usage, %q) }\n", name),
			says: "quotas are not exceeded", with: "amounts", within: 200})
	}
}

// helper is a file that each changed package gets.
const helper = `package %s

import "os"

func brokenBy(fault string) bool { return brokenNow == fault }

var brokenNow = os.Getenv("BROKEN")
`

var packageClause = regexp.MustCompile(`(?m)^package (\w+)`)

// overlay writes the changed files and what go's -overlay wants to know of them.
func overlay(t *testing.T, dir string) string {
	t.Helper()
	texts := map[string]string{} // by file
	for _, f := range faults {
		file, err := filepath.Abs(filepath.Join("../..", f.file))
		if err != nil {
			t.Fatal(err)
		}
		if texts[file] == "" {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = string(src)
			texts[filepath.Join(filepath.Dir(file), "broken_by.go")] = fmt.Sprintf(helper, packageClause.FindStringSubmatch(string(src))[1])
		}
		if n := strings.Count(texts[file], f.text); n != 1 {
			t.Fatalf("%s: %q is %d times in %s, not once (cure: say in this test how to break the code that is there now)", f.name, f.text, n, f.file)
		}
		texts[file] = strings.Replace(texts[file], f.text, strings.ReplaceAll(f.instead, "BROKEN", fmt.Sprintf("brokenBy(%q)", f.name)), 1)
	}
	replace := map[string]string{}
	for file, text := range texts { // order: each by itself
		path := filepath.Join(dir, fmt.Sprint(len(replace), ".go"))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[file] = path
	}
	out, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, out, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// atOnce is how many experiments are run before their reports are looked at.
const atOnce = 20

var bite = flag.Bool("bite", false, "run TestInvariantsBite: it takes minutes")

// TestFaultsFit: each fault still finds the code that it breaks.
func TestFaultsFit(t *testing.T) {
	overlay(t, t.TempDir())
	for _, f := range faults {
		if f.with != "" && !slices.Contains(chaos.Known(), "ingredient "+f.with) || f.says != "" && !slices.Contains(chaos.Invariants(), f.says) && f.says != f.with {
			t.Errorf("%s: there is no ingredient %q, or no invariant %q", f.name, f.with, f.says)
		}
	}
	for _, name := range chaos.Invariants() {
		if !slices.ContainsFunc(faults, func(f fault) bool { return f.says == name }) {
			t.Errorf("no fault shows that %q bites", name)
		}
	}
}

// TestInvariantsBite: each fault is reported by its invariant, and without any there is no report.
func TestInvariantsBite(t *testing.T) {
	if !*bite {
		t.Skip("make broken runs it")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "trace")
	if out, err := exec.Command("go", "build", "-overlay", overlay(t, dir), "-o", program, "../trace").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	report := func(fault, with string, seed, n int) string {
		cmd := exec.Command(program, "-check", "-random", fmt.Sprint(n), "-seed", fmt.Sprint(seed), "-with", with)
		cmd.Env = append(os.Environ(), "BROKEN="+fault)
		out, err := cmd.CombinedOutput()
		if exit, failed := err.(*exec.ExitError); err != nil && (!failed || exit.ExitCode() != 1) {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	if out := report("", "", 1, atOnce); !strings.Contains(out, "all holds in each") {
		t.Fatalf("nothing is broken, and there are reports:\n%s", out)
	}
	for _, f := range faults {
		if f.says == "" {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			var others string
			for n := 0; n < f.within; n += atOnce {
				out := report(f.name, f.with, 1+1000*n, atOnce)
				for _, line := range strings.Split(out, "\n") {
					if strings.Contains(line, "FAILED: "+f.says+": ") {
						t.Logf("within %d experiments: %.200s", n+atOnce, line)
						return
					}
					if strings.Contains(line, "FAILED: ") {
						others += line + "\n"
					}
				}
			}
			t.Errorf("%q said nothing in %d experiments; there was\n%.2000s", f.says, f.within, others)
		})
	}
}
