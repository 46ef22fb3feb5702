package persistentvolume_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// world is a cluster in which somebody types commands.
type world struct {
	t *testing.T
	*cluster.Cluster
}

func newWorld(t *testing.T, nodes int) *world {
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(nodes)
	config.Controllers = []string{"persistentvolume-binder-controller", "persistentvolume-protection-controller",
		"persistentvolumeclaim-protection-controller", "hostpath-provisioner", "node-lifecycle-controller"}
	w := &world{t, cluster.New(config, 1)}
	t.Cleanup(w.Close)
	w.RunUntil(10 * time.Second)
	return w
}

func (w *world) run(d time.Duration) { w.RunUntil(w.Elapsed() + d) }

func (w *world) do(in cluster.Input) string {
	w.t.Helper()
	in.At = w.Elapsed() + 10*time.Millisecond
	if err := w.Schedule(in); err != nil {
		w.t.Fatal(err)
	}
	w.run(3 * time.Second)
	o := w.Outcomes()[len(w.Outcomes())-1]
	if !o.Done || o.Error != "" {
		w.t.Fatalf("%s: done %v, %s", in, o.Done, o.Error)
	}
	return strings.TrimSpace(o.Output)
}

func (w *world) apply(manifests ...string) {
	w.t.Helper()
	for _, m := range manifests {
		if !json.Valid([]byte(m)) {
			w.t.Fatalf("no JSON: %s", m)
		}
		w.do(cluster.Input{Kind: cluster.Apply, Manifest: json.RawMessage(m)})
	}
}

func (w *world) kubectl(args ...string) string {
	w.t.Helper()
	return w.do(cluster.Input{Kind: cluster.Command, Args: args})
}

// want waits up to a minute for what a jsonpath prints.
func (w *world) want(what, path, want string) {
	w.t.Helper()
	kind, name, _ := strings.Cut(what, "/")
	got := ""
	for range 20 {
		if got = w.kubectl("get", kind, name, "-o", "jsonpath="+path); got == want {
			return
		}
	}
	w.t.Errorf("at %v %s %s is %q, want %q", w.Elapsed(), what, path, got, want)
}

func (w *world) wantEvent(object, reason, part string) {
	w.t.Helper()
	all := w.kubectl("get", "events", "-o", `jsonpath={range .items[*]}{.involvedObject.name} {.reason} {.source.component} {.message}{"\n"}{end}`)
	for _, line := range strings.Split(all, "\n") {
		if strings.HasPrefix(line, object+" "+reason+" ") && strings.Contains(line, part) {
			return
		}
	}
	w.t.Errorf("no event %s %s … %s; there are\n%s", object, reason, part, all)
}

func class(name, provisioner, mode string, more ...string) string {
	return fmt.Sprintf(`{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":%q},"provisioner":%q,"volumeBindingMode":%q%s}`,
		name, provisioner, mode, strings.Join(more, ""))
}

func claim(name, class, size string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":%q},"spec":{"accessModes":["ReadWriteOnce"],
		"storageClassName":%q,"resources":{"requests":{"storage":%q}}}}`, name, class, size)
}

func pv(name, class, size, node string) string {
	affinity := ""
	if node != "" {
		affinity = fmt.Sprintf(`,"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"In","values":[%q]}]}]}}`, node)
	}
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":%q},"spec":{"capacity":{"storage":%q},"accessModes":["ReadWriteOnce"],
		"storageClassName":%q,"hostPath":{"path":"/tmp/%s"}%s}}`, name, size, class, name, affinity)
}

func pod(name, claim string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q},"spec":{"terminationGracePeriodSeconds":1,"volumes":[{"name":"data","persistentVolumeClaim":{"claimName":%q}}],
		"containers":[{"name":"c","image":"nginx","volumeMounts":[{"name":"data","mountPath":"/data"}]}]}}`, name, claim)
}

func TestTheSmallestVolumeThatIsLargeEnough(t *testing.T) {
	w := newWorld(t, 1)
	w.apply(pv("large", "manual", "10Gi", ""), pv("small", "manual", "1Gi", ""), pv("fits", "manual", "5Gi", ""), pv("other", "fast", "3Gi", ""))
	w.want("pv/fits", "{.status.phase}", "Available")
	w.apply(claim("data", "manual", "3Gi"))
	w.want("pvc/data", "{.status.phase} {.spec.volumeName} {.status.capacity.storage}", "Bound fits 5Gi")
	w.want("pv/fits", "{.status.phase} {.spec.claimRef.name}", "Bound data")
	// No volume is left that is large enough, and no provisioner makes one.
	w.apply(claim("more", "manual", "20Gi"))
	w.want("pvc/more", "{.status.phase}", "Pending")
	w.wantEvent("more", "ProvisioningFailed", `storageclass.storage.k8s.io "manual" not found`)
}

func TestAClaimThatNamesItsVolume(t *testing.T) {
	w := newWorld(t, 1)
	w.apply(pv("mine", "manual", "1Gi", ""), strings.Replace(claim("data", "manual", "2Gi"), `"accessModes"`, `"volumeName":"mine","accessModes"`, 1))
	w.want("pvc/data", "{.status.phase}", "Pending")
	w.wantEvent("data", "VolumeMismatch", `Cannot bind to requested volume "mine": requested PV is too small`)
}

func TestDeletedUnderAPod(t *testing.T) {
	w := newWorld(t, 1)
	w.apply(pv("disk", "manual", "1Gi", ""), claim("data", "manual", "1Gi"), pod("user", "data"))
	w.want("pod/user", "{.status.phase}", "Running")
	w.kubectl("delete", "pvc", "data", "--wait=false")
	w.run(20 * time.Second)
	w.want("pvc/data", "{.status.phase} {.metadata.finalizers[0]}", "Bound kubernetes.io/pvc-protection")
	w.kubectl("delete", "pod", "user")
	w.run(10 * time.Second)
	if left := w.kubectl("get", "pvc", "-o", "name"); left != "" {
		t.Errorf("still there: %s", left)
	}
	// The default policy of a volume that a person made.
	w.want("pv/disk", "{.status.phase} {.spec.claimRef.name}", "Released data")
	// What was on it is not for the next claim.
	w.apply(claim("data", "manual", "1Gi"))
	w.want("pvc/data", "{.status.phase}", "Pending")
	w.want("pv/disk", "{.status.phase}", "Released")
}

func TestALostVolume(t *testing.T) {
	w := newWorld(t, 1)
	w.apply(pv("disk", "manual", "1Gi", ""), claim("data", "manual", "1Gi"))
	w.want("pvc/data", "{.status.phase}", "Bound")
	w.kubectl("delete", "pv", "disk", "--wait=false")
	w.want("pv/disk", "{.status.phase} {.metadata.finalizers[0]}", "Bound kubernetes.io/pv-protection")
	// Somebody knows better.
	w.do(cluster.Input{Kind: cluster.Patch, Resource: "persistentvolumes", Name: "disk", Manifest: json.RawMessage(`{"metadata":{"finalizers":null}}`)})
	w.want("pvc/data", "{.status.phase}", "Lost")
	w.wantEvent("data", "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!")
}

func TestAVolumeIsMadeAtOnce(t *testing.T) {
	w := newWorld(t, 1)
	w.apply(class("standard", "kubewalk.dev/hostpath", "Immediate"), claim("data", "standard", "1Gi"))
	w.want("pvc/data", "{.status.phase}", "Bound")
	w.wantEvent("data", "ExternalProvisioning", "Waiting for a volume to be created either by the external provisioner 'kubewalk.dev/hostpath'")
	w.wantEvent("data", "Provisioning", `kubewalk.dev/hostpath External provisioner is provisioning volume for claim "default/data"`)
	w.wantEvent("data", "ProvisioningSucceeded", "Successfully provisioned volume pvc-")
	w.kubectl("delete", "pvc", "data")
	w.run(10 * time.Second)
	if left := w.kubectl("get", "pv", "-o", "name"); left != "" {
		t.Errorf("a volume of a class that deletes is still there: %s", left)
	}
}

func TestAVolumeIsMadeForThePod(t *testing.T) {
	w := newWorld(t, 2)
	w.apply(class("local", "kubewalk.dev/hostpath", "WaitForFirstConsumer", `,"parameters":{"failOnNodes":"node-1"}`), claim("data", "local", "1Gi"))
	w.want("pvc/data", "{.status.phase}", "Pending")
	w.wantEvent("data", "WaitForFirstConsumer", "waiting for first consumer to be created before binding")
	w.apply(pod("user", "data"))
	w.want("pod/user", "{.status.phase} {.spec.nodeName}", "Running node-2")
	w.want("pvc/data", "{.status.phase}", "Bound")
	if node := w.kubectl("get", "pv", "-o",
		"jsonpath={.items[0].spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values[0]}"); node != "node-2" {
		t.Errorf("the volume is for %q", node)
	}
	if nominated := w.kubectl("get", "pod", "user", "-o", "jsonpath={.status.nominatedNodeName}"); nominated != "" {
		t.Errorf("it is bound, and still nominated for %s", nominated)
	}
}

func TestVolumesOfPeopleBoundForThePod(t *testing.T) {
	w := newWorld(t, 3)
	w.apply(class("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer"),
		pv("on-2", "local", "5Gi", "node-2"), pv("on-3", "local", "1Gi", "node-3"), claim("data", "local", "2Gi"))
	w.apply(pod("user", "data"))
	w.want("pod/user", "{.status.phase} {.spec.nodeName}", "Running node-2")
	w.want("pvc/data", "{.status.phase} {.spec.volumeName}", "Bound on-2")
	// The one that is left is too small.
	w.apply(claim("more", "local", "2Gi"), pod("second", "more"))
	w.want("pod/second", "{.status.conditions[0].message}", "0/3 nodes are available: 3 node(s) didn't find available persistent volumes to bind. "+
		"no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.")
	// A larger one comes, and with it the Pod's turn.
	w.apply(pv("new", "local", "2Gi", "node-1"))
	w.want("pod/second", "{.status.phase} {.spec.nodeName}", "Running node-1")
}

func TestPodsThatWaitForTheirClaims(t *testing.T) {
	w := newWorld(t, 1)
	const after = " no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
	w.apply(pod("early", "data"))
	w.want("pod/early", "{.status.conditions[0].message}", `0/1 nodes are available: persistentvolumeclaim "data" not found.`+after)
	w.apply(claim("data", "manual", "1Gi"))
	w.want("pod/early", "{.status.conditions[0].message}", "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims."+after)
	w.apply(pv("disk", "manual", "1Gi", ""))
	w.want("pod/early", "{.status.phase}", "Running")
}
