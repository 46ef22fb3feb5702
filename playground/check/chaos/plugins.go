package chaos

import (
	"encoding/json"
	"fmt"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "scheduler plugins", controllers: []string{"endpointslice-controller"}, prepare: (*dice).pluginScheduler, act: (*dice).plugins,
		unsettled: pluginsUnsettled, holds: gangsHold})
}

const (
	podGroupLabel = "scheduling.x-k8s.io/pod-group"
	licence       = "example.com/licence"
	noLicences    = "node-1" // the node that the extender turns down
	gang          = "gang"
	gangMembers   = 3
)

// pluginScheduler has the scheduler built with Coscheduling, and ask an extender about Pods that need a licence.
func (d *dice) pluginScheduler(cfg *cluster.Config) {
	atLeast(2, cfg)
	cfg.Network, cfg.Schedulers = true, 0
	cfg.SchedulerPlugins = append(cfg.SchedulerPlugins, "Coscheduling")
	text := `{"schedulerProfiles":[{"schedulerName":"default-scheduler","plugins":
{"multiPoint":{"enabled":[{"name":"Coscheduling"}],"disabled":[{"name":"PrioritySort"}]}},
"pluginConfig":[{"name":"Coscheduling","args":{"permitWaitingTimeSeconds":10,"podGroupBackoffSeconds":3}}]}],
"schedulerExtenders":[{"urlPrefix":"http://10.96.0.50/scheduler","filterVerb":"filter","prioritizeVerb":"prioritize","weight":5,"nodeCacheCapable":true,
"httpTimeout":"2s","managedResources":[{"name":"example.com/licence","ignoredByScheduler":true}]}]}`
	if err := json.Unmarshal([]byte(text), cfg); err != nil {
		panic(err)
	}
	d.install(installAt, "apiVersion: v1\nkind: List\nitems:"+definition("scheduling.x-k8s.io", "v1alpha1", "PodGroup", "")+fmt.Sprintf(`
- apiVersion: v1
  kind: Service
  metadata: {name: inventory, namespace: default}
  spec: {clusterIP: 10.96.0.50, selector: {app: inventory}, ports: [{port: 80, targetPort: 8888}]}
- apiVersion: apps/v1
  kind: ReplicaSet
  metadata: {name: inventory, namespace: default}
  spec:
    replicas: 1
    selector: {matchLabels: {app: inventory}}
    template:
      metadata: {labels: {app: inventory}}
      spec:
        terminationGracePeriodSeconds: 1
        containers:
        - name: extender
          image: kubewalk.dev/scheduler-extender
          args: ["--reject=%[1]s=no licences in this rack", "--score=%[1]s=9"]
          ports: [{containerPort: 8888}]
`, noLicences))
	d.install(4*time.Second, fmt.Sprintf(`
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: %s, namespace: default}
spec: {minMember: %d}
`, gang, gangMembers))
}

// plugins make and delete members of a group and Pods that need a licence, and have the extender go and come.
func (d *dice) plugins(at time.Duration) {
	pod := func(name string, labels, limits map[string]any) {
		if !d.once("pods/" + name) {
			d.applied["pods/"+name] = false
			d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: name})
			return
		}
		d.apply(at, map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": name, "labels": labels},
			"spec": map[string]any{"terminationGracePeriodSeconds": d.IntN(3), "containers": []any{map[string]any{"name": "c", "image": "nginx:1.27",
				"resources": map[string]any{"requests": map[string]any{"cpu": "50m"}, "limits": limits}}}}})
	}
	switch d.IntN(8) {
	case 0, 1, 2, 3:
		for range 1 + d.IntN(3) {
			pod(fmt.Sprint("member-", d.IntN(gangMembers+1)), map[string]any{podGroupLabel: gang}, nil)
		}
	case 4, 5:
		pod(fmt.Sprint("licensed-", d.IntN(3)), nil, map[string]any{licence: 1})
	case 6:
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: "inventory-*"})
	default:
		d.toggle(at, "extender", cluster.Input{Kind: cluster.Command, Args: []string{"scale", "replicaset", "inventory", "--replicas=0"}},
			cluster.Input{Kind: cluster.Command, Args: []string{"scale", "replicaset", "inventory", "--replicas=1"}})
	}
}

func licensed(pod *corev1.Pod) bool {
	for _, c := range pod.Spec.Containers {
		if _, needs := c.Resources.Limits[licence]; needs {
			return true
		}
	}
	return false
}

// pluginsUnsettled: a group that has enough members has nodes for all, and a Pod that needs a licence has a node if the extender answers.
func pluginsUnsettled(s trace.State, say sayer) {
	members, without, answers := 0, 0, false
	var waiting []string
	for _, c := range s.Cells(trace.CellObject) {
		pod, ok := s[c].(*corev1.Pod)
		if !ok || pod.DeletionTimestamp != nil {
			continue
		}
		answers = answers || pod.Labels["app"] == "inventory" && ready(pod)
		if pod.Labels[podGroupLabel] == gang {
			if members++; pod.Spec.NodeName == "" {
				without++
			}
		}
		if licensed(pod) && pod.Spec.NodeName == "" {
			waiting = append(waiting, pod.Name)
		}
	}
	if members >= gangMembers && without > 0 {
		say("a group of %d is there, and %d of its pods have no node", members, without)
	}
	for _, name := range waiting {
		if answers {
			say("pod %s has no node, and the extender answers", name)
		}
	}
}

func ready(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// gangsHold: no member of a group gets a node as long as there are too few of them, and no Pod that needs a licence gets one where there is none.
func gangsHold(rec *trace.Recorder, say sayer) {
	// A scheduler believes in Pods that are gone until it hears of it, which a partition may delay.
	const late = 60 * time.Second
	gone := map[string]time.Duration{} // by UID; -1 for those that are there
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		if e.Op != trace.StoreCommit || e.Object.Resource != "pods" {
			continue
		}
		c := commitOf(e)
		was, _ := c.old.(*corev1.Pod)
		now, _ := c.new.(*corev1.Pod)
		switch {
		case now == nil && was != nil && was.Labels[podGroupLabel] == gang:
			gone[string(was.UID)] = e.At
			continue
		case now == nil || now.Spec.NodeName == "" || was != nil && was.Spec.NodeName != "":
			if now != nil && now.Labels[podGroupLabel] == gang {
				gone[string(now.UID)] = -1
			}
			continue
		}
		if licensed(now) && now.Spec.NodeName == noLicences {
			say("event %d: pod %s is bound to %s, which the extender turns down", e.ID, now.Name, noLicences)
		}
		if now.Labels[podGroupLabel] != gang {
			continue
		}
		members := 0
		for _, at := range gone { // order: counts
			if at < 0 || e.At-at < late {
				members++
			}
		}
		if members < gangMembers {
			say("event %d: pod %s of a group of %d is bound, and there are %d", e.ID, now.Name, gangMembers, members)
		}
	}
}
