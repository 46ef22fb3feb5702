package cluster_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// csiWorld is a cluster with the driver on two nodes, for disks of a class. The driver's own flags can be more, and so can its sidecars.
func csiWorld(t *testing.T, controllerFlags, nodeFlags string, more ...string) *cluster.Cluster {
	t.Helper()
	config := cluster.Config{Epoch: cluster.DefaultConfig().Epoch, Nodes: cluster.NumberedNodes(2), Operators: []string{cluster.DiskDriver},
		Trace: trace.Unstacked}
	c := cluster.New(config, 7)
	t.Cleanup(c.Close)
	c.RunUntil(6 * time.Second)
	container := func(name, image, args, mounts string) string {
		return fmt.Sprintf(`{"name":%q,"image":%q,"args":[%s],"volumeMounts":[%s]}`, name, image, args, mounts)
	}
	socket, address := `{"name":"socket","mountPath":"/csi"}`, `"--csi-address=/csi/csi.sock"`
	sidecar := func(name string) string {
		return container(name, "registry.k8s.io/sig-storage/"+name+":v1", address, socket)
	}
	workload := func(kind, name, spec, containers, volumes string) string {
		return fmt.Sprintf(`{"apiVersion":"apps/v1","kind":%q,"metadata":{"name":%q},"spec":{%s"selector":{
			"matchLabels":{"app":%q}},"template":{"metadata":{"labels":{"app":%q}},"spec":{%s"containers":[%s],"volumes":[%s]}}}}`,
			kind, name, "", name, name, spec, containers, volumes)
	}
	driver := func(flags string) string { return container("driver", "kubewalk.dev/disk-driver:v1", flags, socket) }
	containers := []string{driver(`"--controller"` + controllerFlags)}
	for _, name := range append([]string{"csi-provisioner", "csi-attacher", "csi-resizer"}, more...) {
		containers = append(containers, sidecar(name))
	}
	typed(t, c, "apply -f controller", workload("Deployment", "disk-controller", `"nodeSelector":{"kubernetes.io/hostname":"node-1"},`,
		strings.Join(containers, ","), `{"name":"socket","emptyDir":{}}`))
	node := strings.Replace(driver(`"--node","--node-id=$(NODE)"`+nodeFlags), `"args"`,
		`"env":[{"name":"NODE","valueFrom":{"fieldRef":{"fieldPath":"spec.nodeName"}}}],"args"`, 1)
	typed(t, c, "apply -f node", workload("DaemonSet", "disk-node", "", strings.Join([]string{node,
		container("registrar", "registry.k8s.io/sig-storage/csi-node-driver-registrar:v1",
			address+`,"--kubelet-registration-path=/var/lib/kubelet/plugins/disk.csi.example.com/csi.sock"`,
			socket+`,{"name":"registration","mountPath":"/registration"}`)}, ","),
		`{"name":"socket","hostPath":{"path":"/var/lib/kubelet/plugins/disk.csi.example.com"}},
		{"name":"registration","hostPath":{"path":"/var/lib/kubelet/plugins_registry"}}`))
	typed(t, c, "apply -f class", `{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"disk"},"provisioner":"disk.csi.example.com",
		"volumeBindingMode":"WaitForFirstConsumer","allowVolumeExpansion":true}`)
	typed(t, c, "apply -f claim", `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data"},"spec":{"storageClassName":"disk",
		"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}`)
	if len(more) > 0 {
		defineSnapshots(t, c)
	}
	pass(c, 20*time.Second)
	return c
}

func pass(c *cluster.Cluster, d time.Duration) { c.RunUntil(c.Elapsed() + d) }

// user is a Pod that has the claim, on a node.
func user(name, node string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q},"spec":{"terminationGracePeriodSeconds":1,
		"nodeSelector":{"kubernetes.io/hostname":%q},
		"tolerations":[{"operator":"Exists","effect":"NoExecute","key":"node.kubernetes.io/not-ready"},
		{"operator":"Exists","effect":"NoExecute","key":"node.kubernetes.io/unreachable"}],
		"containers":[{"name":"main","image":"busybox:1.37","command":["sh","-c","echo hello >> /data/log; sleep infinity"],
		"volumeMounts":[{"name":"data","mountPath":"/data"}]}],
		"volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data"}}]}}`, name, node)
}

// calls are the methods that were called so far, without the probes, each with who called.
func calls(c *cluster.Cluster) (out []string) {
	for _, e := range c.Trace().Events(1) {
		if e.Op == trace.Log && e.Text("message") == "GRPC call" {
			method := e.Text("method")
			if method = method[strings.LastIndexByte(method, '/')+1:]; method != "Probe" && !strings.HasPrefix(method, "GetPlugin") {
				out = append(out, e.Component+" "+method)
			}
		}
	}
	return out
}

func want(t *testing.T, c *cluster.Cluster, line string, wants ...string) {
	t.Helper()
	got := typed(t, c, line, "")
	for _, w := range wants {
		if !strings.Contains(got, w) {
			t.Errorf("%s printed %q, want %q", line, got, w)
		}
	}
}

// TestCSI takes a volume there and back: each call is made once, in order, and by whom it should be.
func TestCSI(t *testing.T) {
	c := csiWorld(t, "", "")
	typed(t, c, "apply -f pod", user("a", "node-2"))
	pass(c, 20*time.Second)
	want(t, c, "get pod a", "1/1", "Running")
	want(t, c, `patch pvc data -p '{"spec":{"resources":{"requests":{"storage":"3Gi"}}}}'`, "patched")
	pass(c, 90*time.Second)
	want(t, c, "get pvc data", "Bound", "3Gi")
	typed(t, c, "delete pod a --wait=false", "")
	pass(c, 30*time.Second)
	want(t, c, "get node node-2 -o jsonpath={.status.volumesInUse}{.status.volumesAttached}", "")
	typed(t, c, "delete pvc data --wait=false", "")
	pass(c, 30*time.Second)
	var got []string
	for _, call := range calls(c) {
		if !strings.Contains(call, "GetInfo") && !strings.Contains(call, "Notify") {
			got = append(got, call)
		}
	}
	wants := []string{"csi-provisioner/node-1 CreateVolume", "csi-attacher/node-1 ControllerPublishVolume", "kubelet/node-2 NodeStageVolume",
		"kubelet/node-2 NodePublishVolume", "csi-resizer/node-1 ControllerExpandVolume", "kubelet/node-2 NodeExpandVolume", "kubelet/node-2 NodeUnpublishVolume",
		"kubelet/node-2 NodeUnstageVolume", "csi-attacher/node-1 ControllerUnpublishVolume", "csi-provisioner/node-1 DeleteVolume"}
	got = slices.Compact(got) // a cache that is behind lets a call come again
	if strings.Join(got, "\n") != strings.Join(wants, "\n") {
		t.Errorf("the calls were\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wants, "\n"))
	}
	for _, left := range []string{"pv", "volumeattachments", "pvc"} {
		if out := typed(t, c, "get "+left+" -o name", ""); strings.TrimSpace(out) != "" {
			t.Errorf("left over: %s", out)
		}
	}
}

// TestForcedDetach: a node that is gone keeps its volume for six minutes, though its Pod is deleted by force, and no call reaches the node.
func TestForcedDetach(t *testing.T) {
	c := csiWorld(t, "", "")
	typed(t, c, "apply -f pod", user("a", "node-2"))
	pass(c, 20*time.Second)
	schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.KillNode, Node: "node-2"})
	pass(c, time.Minute)
	typed(t, c, "delete pod a --force --grace-period=0 --wait=false", "")
	typed(t, c, "apply -f pod", user("b", "node-1"))
	pass(c, 5*time.Minute+50*time.Second)
	want(t, c, "get volumeattachments", "node-2", "true")
	want(t, c, "get pod b", "ContainerCreating")
	pass(c, 40*time.Second)
	want(t, c, "get volumeattachments", "node-1", "true")
	want(t, c, "get pod b", "Running")
	want(t, c, "exec b -- cat /data/log", "hello\nhello")
}

// TestADetachThatIsNotSeen: a Pod that comes while its volume is being detached, which takes longer than the controller waits, has it attached anew.
func TestADetachThatIsNotSeen(t *testing.T) {
	c := csiWorld(t, "", "")
	typed(t, c, "apply -f pod", user("a", "node-2"))
	pass(c, 20*time.Second)
	typed(t, c, "scale deployment disk-controller --replicas=0", "")
	pass(c, 40*time.Second)
	typed(t, c, "delete pod a --wait=false", "")
	pass(c, 15*time.Second)
	want(t, c, "get volumeattachments -o yaml", "deletionTimestamp")
	typed(t, c, "apply -f pod", user("b", "node-2"))
	pass(c, 130*time.Second)
	typed(t, c, "scale deployment disk-controller --replicas=1", "")
	pass(c, 5*time.Minute)
	want(t, c, "get pod b", "Running")
	want(t, c, "get volumeattachments", "node-2", "true")
}

// TestVolumesOfTheKubeletBefore: a kubelet that was away takes volumes from Pods that ended meanwhile, before the disk is detached,
// and leaves them to one that goes on.
func TestVolumesOfTheKubeletBefore(t *testing.T) {
	for _, test := range []struct {
		meanwhile string
		want      []string
	}{
		{"delete pod a --wait=false", []string{"kubelet/node-2 NodeUnpublishVolume", "kubelet/node-2 NodeUnstageVolume", "csi-attacher/node-1 ControllerUnpublishVolume"}},
		{"delete pod a --force --wait=false", []string{"kubelet/node-2 NodeUnpublishVolume", "kubelet/node-2 NodeUnstageVolume", "csi-attacher/node-1 ControllerUnpublishVolume"}},
		{"get pod a", []string{"kubelet/node-2 NodeStageVolume", "kubelet/node-2 NodePublishVolume"}},
	} {
		c := csiWorld(t, "", "")
		typed(t, c, "apply -f pod", user("a", "node-2"))
		pass(c, 20*time.Second)
		before := len(calls(c))
		schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Stop, Component: "kubelet/node-2"})
		pass(c, time.Second)
		typed(t, c, test.meanwhile, "")
		pass(c, 5*time.Second)
		schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Start, Component: "kubelet/node-2"})
		pass(c, 40*time.Second)
		got := slices.DeleteFunc(calls(c)[before:], func(call string) bool {
			return strings.HasSuffix(call, "Info") || strings.HasSuffix(call, "NotifyRegistrationStatus")
		})
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: the calls are %q, want %q", test.meanwhile, got, test.want)
		}
	}
}

// TestADriverThatDies: whatever call its driver dies in, the Pod runs in the end, there is one disk, and it is attached once.
func TestADriverThatDies(t *testing.T) {
	for _, method := range []string{"CreateVolume", "ControllerPublishVolume", "NodeStageVolume", "NodePublishVolume"} {
		flag := fmt.Sprintf(`,"--die-after=%s:1"`, method)
		flags := [2]string{flag, ""}
		if strings.HasPrefix(method, "Node") {
			flags = [2]string{"", flag}
		}
		c := csiWorld(t, flags[0], flags[1])
		typed(t, c, "apply -f pod", user("a", "node-2"))
		pass(c, time.Minute)
		want(t, c, "get pod a", "1/1", "Running")
		n := 0
		for _, call := range calls(c) {
			if strings.HasSuffix(call, " "+method) {
				n++
			}
		}
		if n < 2 {
			t.Errorf("%s was called %d times, want it again", method, n)
		}
		disks := 0
		for _, e := range c.Trace().Events(1) {
			if e.Text("message") == "Disk is made" {
				disks++
			}
		}
		if disks != 1 {
			t.Errorf("%s: %d disks were made", method, disks)
		}
	}
}

// TestAVolumeThatIsNotTaken: when the API server takes nothing as a disk is made, and the claim is deleted before the provisioner tries again, the volume is
// made all the same, so that somebody knows of the disk and deletes it.
func TestAVolumeThatIsNotTaken(t *testing.T) {
	c := csiWorld(t, "", "")
	typed(t, c, "apply -f pod", user("a", "node-2"))
	for !slices.Contains(calls(c), "csi-provisioner/node-1 CreateVolume") {
		pass(c, 10*time.Millisecond)
	}
	schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Fail, Component: cluster.APIServer, Value: "500 100%"})
	pass(c, 2500*time.Millisecond) // two attempts, 1 s apart; the third comes 2 s later
	schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Heal, Component: cluster.APIServer})
	pass(c, 10*time.Millisecond)
	typed(t, c, "delete pod a --force --wait=false", "")
	typed(t, c, "delete pvc data --wait=false", "")
	pass(c, 500*time.Millisecond)
	want(t, c, "get pvc", "No resources found")
	pass(c, time.Minute)
	if got := strings.Join(calls(c), " "); !strings.Contains(got, "csi-provisioner/node-1 DeleteVolume") {
		t.Errorf("the disk stays: %s", got)
	}
	if out := typed(t, c, "get pv -o name", ""); strings.TrimSpace(out) != "" {
		t.Errorf("left over: %s", out)
	}
}
