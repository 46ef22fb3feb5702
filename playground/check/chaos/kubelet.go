package chaos

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "containers", act: (*dice).containers, unsettled: containersUnsettled, holds: containersHold})
}

const boxes = 5

// containers makes Pods without a controller, of every shape, and has their
// containers, images and kubelets fail.
func (d *dice) containers(at time.Duration) {
	node := d.scenario.Cluster.Nodes[d.IntN(len(d.scenario.Cluster.Nodes))].Name
	switch d.IntN(8) {
	case 0:
		d.toggle(at, "registry", cluster.Input{Kind: cluster.RegistryDown}, cluster.Input{Kind: cluster.RegistryUp})
	case 1:
		d.toggle(at, "slow "+node, cluster.Input{Kind: cluster.SlowKubelet, Node: node, Value: "700ms"},
			cluster.Input{Kind: cluster.SlowKubelet, Node: node, Value: "0s"})
	case 2, 3:
		d.add(cluster.Input{At: at, Kind: cluster.CrashContainer, Name: []string{"box-*", "web-*"}[d.IntN(2)], Value: []string{"", "0", "7"}[d.IntN(3)]})
	case 4:
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: "box-*"})
	default:
		i := d.IntN(boxes)
		if name := fmt.Sprint("box-", i); d.once("pods/" + name) {
			d.apply(at, box(name, i))
		}
		if d.once("configmaps/settings") {
			d.apply(at+d.Between(0, 5*time.Second), map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
				"metadata": map[string]any{"name": "settings"}, "data": map[string]any{"color": "blue"}})
		}
	}
}

// box is a Pod of one of several shapes.
func box(name string, shape int) map[string]any {
	web := map[string]any{"name": "web", "image": "nginx:1.27"}
	spec := map[string]any{"containers": []any{web}, "terminationGracePeriodSeconds": 3}
	shell := func(name, script string) map[string]any {
		return map[string]any{"name": name, "image": "busybox", "command": []any{"sh", "-c", script}}
	}
	switch shape {
	case 0: // an init container, and another container beside
		spec["initContainers"] = []any{shell("first", "sleep 1")}
		spec["containers"] = []any{web, shell("beside", "while true; do echo tick; sleep 10; done")}
	case 1: // it needs a ConfigMap, twice
		web["envFrom"] = []any{map[string]any{"configMapRef": map[string]any{"name": "settings"}}}
		web["volumeMounts"] = []any{map[string]any{"name": "settings", "mountPath": "/etc/settings"}}
		spec["volumes"] = []any{map[string]any{"name": "settings", "configMap": map[string]any{"name": "settings"}}}
	case 2: // it ends well, with a sidecar
		spec["restartPolicy"] = "OnFailure"
		sidecar := map[string]any{"name": "sidecar", "image": "nginx:1.27", "restartPolicy": "Always"}
		spec["initContainers"] = []any{sidecar}
		spec["containers"] = []any{shell("job", "sleep 4")}
	case 3: // it ends badly
		spec["restartPolicy"] = "Never"
		spec["containers"] = []any{shell("job", "sleep 2; exit 3")}
	case 4: // it is asked how it is
		probe := map[string]any{"httpGet": map[string]any{"path": "/", "port": 80}, "periodSeconds": 2}
		web["readinessProbe"], web["livenessProbe"] = probe, probe
	}
	return map[string]any{"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": name, "labels": map[string]any{"app": "box"}}, "spec": spec}
}

// A Pod has ended, or is ready, unless what it needs was never made: whoever
// applies something while the API server is down gives up.
func containersUnsettled(s trace.State, say sayer) {
	_, settings := s[trace.Cell{Kind: trace.CellObject, Owner: "configmaps", Key: "default/settings"}].(*corev1.ConfigMap)
	for _, c := range s.Cells(trace.CellObject) {
		pod, ok := s[c].(*corev1.Pod)
		if !ok || pod.Labels["app"] != "box" || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		if needs := len(pod.Spec.Volumes) > 0 && pod.Spec.Volumes[0].Name == "settings"; !isReady(pod) && (settings || !needs) {
			say("pod %s is %s and not ready", c.Key, pod.Status.Phase)
		}
	}
}

// At no time run two containers of one name in a Pod, and a Pod's restarts are
// never counted down.
func containersHold(rec *trace.Recorder, say sayer) {
	running := map[string]string{}
	uids := map[string]string{} // of sandboxes, by node and id; of containers
	restarts := map[string]int32{}
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		// By uid: a Pod that is removed at once may have a successor of its name while its containers stop.
		switch {
		case e.Op == trace.SandboxStart && e.Text("uid") != "":
			uids[e.Component+" "+e.Text("sandbox")] = e.Text("uid")
		case e.Op == trace.ContainerMade:
			uids[e.Component+"/"+e.Text("id")] = uids[e.Component+" "+e.Text("sandbox")]
		}
		key := e.Object.Key() + "/" + e.Text("container") + " of " + uids[e.Component+"/"+e.Text("id")]
		switch {
		case e.Op == trace.ContainerStart && running[key] != "":
			say("event %d: %s is started and runs as %s already", e.ID, key, running[key])
		case e.Op == trace.ContainerStart:
			running[key] = e.Component + " " + e.Text("id")
		case e.Op == trace.ContainerExit && running[key] == e.Component+" "+e.Text("id"):
			delete(running, key)
		case e.Op == trace.ComponentStop && strings.HasPrefix(e.Component, "containerd/"):
			for key, who := range running { // order: deleting has none
				if strings.HasPrefix(who, e.Component+" ") {
					delete(running, key)
				}
			}
		}
		for _, delta := range e.Deltas {
			pod, ok := delta.New.(*corev1.Pod)
			if !ok {
				continue
			}
			for _, s := range pod.Status.ContainerStatuses {
				key := string(pod.UID) + "/" + s.Name
				if s.RestartCount < restarts[key] {
					say("event %d: container %s of %s/%s has restarted %d times, and before %d", e.ID, s.Name, pod.Namespace, pod.Name, s.RestartCount, restarts[key])
				}
				restarts[key] = s.RestartCount
			}
		}
	}
}
