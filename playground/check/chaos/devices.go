package chaos

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/cluster"
)

func init() {
	register(&ingredient{name: "devices", controllers: []string{"job-controller", "resourceclaim-controller"}, prepare: (*dice).deviceCluster,
		act: (*dice).devices, unsettled: devicesUnsettled, holds: devicesHold, apart: true})
}

// The driver of the devices, the names of what is made of its own accord, and how the names of Pods begin.
const (
	gpuDriver  = "gpu.example.com"
	gpuUser    = "gpu-user"
	gpuSet     = "render"
	gpuJob     = "train"
	anyNode    = "fabric" // the pool whose devices every node reaches
	lastPool   = "plenty" // another one, which comes in the end
	gpuDirect  = "gpu-direct"
	gpuClaim   = "gpu-claim"
	gpuUsers   = 7
	gpuClaims  = 3
	mostOnNode = 3
	plenty     = 80
)

// gpuRequests are the requests that claims make, by the names of their templates.
var gpuRequests = []struct{ name, text string }{
	{"any", `{name: any, exactly: {deviceClassName: gpu}}`},
	{"large", `{name: large, exactly: {deviceClassName: gpu, selectors: [{cel: {expression: "device.attributes['gpu.example.com'].size == 'large'"}}]}}`},
	{"roomy", `{name: roomy, exactly: {deviceClassName: gpu, selectors: [{cel: {expression:
      "device.capacity['gpu.example.com'].memory.compareTo(quantity('16Gi')) >= 0"}}]}}`},
	{"pair", `{name: pair, exactly: {deviceClassName: gpu, count: 2}}`},
	{"choice", `{name: choice, firstAvailable: [{name: large, deviceClassName: gpu, count: 2, selectors: [{cel: {expression:
      "device.attributes['gpu.example.com'].size == 'large'"}}]}, {name: any, deviceClassName: gpu}]}`},
}

// gpuCounts are how many devices are allocated to a request, by its name in the result.
var gpuCounts = map[string]int{"any": 1, "large": 1, "roomy": 1, "pair": 2, "choice/large": 2, "choice/any": 1}

// largeOnly tells whether a request takes no small device.
func largeOnly(request string) bool {
	return strings.HasSuffix(request, "large") || request == "roomy"
}

// deviceCluster installs a class, templates, and what drivers would tell of devices. There is one scheduler: two would not know what the other allocates.
func (d *dice) deviceCluster(cfg *cluster.Config) {
	cfg.Devices, cfg.CEL, cfg.Schedulers = true, true, 0
	text := fmt.Sprintf(`
apiVersion: v1
kind: List
items:
- apiVersion: resource.k8s.io/v1
  kind: DeviceClass
  metadata: {name: gpu}
  spec: {selectors: [{cel: {expression: "device.driver == '%s'"}}]}
`, gpuDriver)
	for _, r := range gpuRequests {
		text += fmt.Sprintf("- apiVersion: resource.k8s.io/v1\n  kind: ResourceClaimTemplate\n  metadata: {name: %s, namespace: default}\n"+
			"  spec: {spec: {devices: {requests: [%s]}}}\n", r.name, r.text)
	}
	d.install(installAt, text)
	for i, n := range cfg.Nodes {
		if i == 0 || d.IntN(3) > 0 {
			d.slice(installAt, n.Name)
		}
	}
}

// slice says which devices a pool has: as many as the dice want.
func (d *dice) slice(at time.Duration, pool string) {
	var devices []any
	for i := range d.IntN(mostOnNode + 1) {
		devices = append(devices, device(i, d.IntN(2) == 0))
	}
	d.applied["resourceslices/"+pool] = true
	d.applySlice(at, pool, 1+at.Milliseconds(), devices) // a driver counts generations; here the clock does
}

func device(i int, large bool) map[string]any {
	size, memory := "small", "8Gi"
	if large {
		size, memory = "large", "40Gi"
	}
	return map[string]any{"name": fmt.Sprint("gpu-", i), "attributes": map[string]any{"size": map[string]any{"string": size}},
		"capacity": map[string]any{"memory": map[string]any{"value": memory}}}
}

func (d *dice) applySlice(at time.Duration, pool string, generation int64, devices []any) {
	spec := map[string]any{"driver": gpuDriver, "devices": devices,
		"pool": map[string]any{"name": pool, "generation": generation, "resourceSliceCount": 1}}
	if pool == anyNode || pool == lastPool {
		spec["allNodes"] = true
	} else {
		spec["nodeName"] = pool
	}
	d.apply(at, map[string]any{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": map[string]any{"name": pool + "-gpu"}, "spec": spec})
}

// mendedBy is when what is needed in the end is applied, once more because the API server may be away.
var mendedBy = []time.Duration{0, time.Second, 20 * time.Second, 2 * time.Minute}

// enoughDevices has as many devices come in the end as a ReplicaSet and a Job may want, which settle only when all of their Pods run.
func (d *dice) enoughDevices() {
	if !d.once("enough devices") {
		return
	}
	var devices []any
	for i := range plenty {
		devices = append(devices, device(i, true))
	}
	for _, later := range mendedBy {
		d.applySlice(FaultsEnd-time.Second+later, lastPool, 1, devices)
	}
}

// devices make and delete claims and who uses them, and change what devices there are.
func (d *dice) devices(at time.Duration) {
	node := d.scenario.Cluster.Nodes[d.IntN(len(d.scenario.Cluster.Nodes))].Name
	switch d.IntN(12) {
	case 0:
		pool := node
		if d.IntN(4) == 0 {
			pool = anyNode
		}
		if d.applied["resourceslices/"+pool] && d.IntN(3) == 0 {
			d.remove(at, "resourceslices", pool, pool+"-gpu")
			return
		}
		d.slice(at, pool)
	case 1:
		claim := fmt.Sprintf("%s-%d", gpuClaim, d.IntN(gpuClaims))
		if d.applied["resourceclaims/"+claim] {
			d.remove(at, "resourceclaims", claim, claim)
			return
		}
		d.sharedClaim(at, claim)
	case 2: // one that was made of a template
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "resourceclaims", Namespace: "default", Name: []string{gpuUser, gpuSet}[d.IntN(2)] + "-*"})
	case 3:
		d.cordon(at, node, "cordon", node)
	case 4, 5:
		if d.once("replicasets/" + gpuSet) {
			template := d.podTemplate(gpuSet, d.IntN(2))
			d.withClaims(at, template["spec"].(map[string]any), 0, 1)
			d.enoughDevices()
			d.apply(at, map[string]any{"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": map[string]any{"name": gpuSet}, "spec": map[string]any{
				"replicas": 1 + d.IntN(4), "selector": map[string]any{"matchLabels": map[string]any{"app": gpuSet}}, "template": template}})
			return
		}
		d.changeWorkload(at, "replicasets", gpuSet)
	case 6:
		if d.once("jobs/" + gpuJob) {
			d.gpuJob(at)
			return
		}
		d.remove(at, "jobs", gpuJob, gpuJob)
		d.remove(at, "resourceclaims", gpuJob, gpuJob)
	case 7: // past the scheduler
		d.gpuPod(at, fmt.Sprintf("%s-%d", gpuDirect, d.IntN(2)), node)
	default:
		for range 1 + d.IntN(3) {
			d.gpuPod(at, fmt.Sprintf("%s-%d", gpuUser, d.IntN(gpuUsers)), "")
		}
	}
}

// remove has somebody delete an object that was applied as what.
func (d *dice) remove(at time.Duration, resource, what, name string) {
	d.applied[resource+"/"+what] = false
	in := cluster.Input{At: at, Kind: cluster.Delete, Resource: resource, Namespace: "default", Name: name}
	if resource == "resourceslices" {
		in.Namespace = ""
	}
	d.add(in)
}

func (d *dice) sharedClaim(at time.Duration, name string) {
	if d.once("resourceclaims/" + name) {
		d.install(at, fmt.Sprintf("apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: %s, namespace: default}\n"+
			"spec: {devices: {requests: [%s]}}\n", name, gpuRequests[d.IntN(len(gpuRequests))].text))
	}
}

// gpuPod makes a Pod with claims, or deletes it, sometimes by force.
func (d *dice) gpuPod(at time.Duration, name, node string) {
	if !d.once("pods/" + name) {
		d.applied["pods/"+name] = false
		in := cluster.Input{At: at, Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: name}
		if zero := int64(0); d.IntN(4) == 0 {
			in.Grace = &zero
		}
		d.add(in)
		return
	}
	spec := map[string]any{"terminationGracePeriodSeconds": d.IntN(3), "containers": []any{map[string]any{"name": "c", "image": "nginx:1.27",
		"resources": map[string]any{"requests": map[string]any{"cpu": "10m"}}}}}
	if node != "" { // with a claim that may never be made, the kubelet would not let it go, as upstream's (UnprepareResources)
		spec["nodeName"] = node
		d.withClaims(at, spec, 1, 0)
	} else {
		d.withClaims(at, spec, 2, 4)
	}
	d.apply(at, map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": name}, "spec": spec})
}

// gpuJob makes a Job whose Pods share a claim. One of a template would be made again and again for each Pod that is done: what upstream's controller
// deletes because its Pod is done, it makes anew because a Pod has no claim (podNeedsWork). In the same way it reserves a claim that others use for who is
// done, as upstream's does, so that all Pods begin together.
func (d *dice) gpuJob(at time.Duration) {
	template, n := d.work("OnFailure"), 1+d.IntN(2)
	spec := template["spec"].(map[string]any)
	spec["resourceClaims"] = []any{map[string]any{"name": "gpu0", "resourceClaimName": gpuJob}}
	spec["containers"].([]any)[0].(map[string]any)["resources"] = map[string]any{"claims": []any{map[string]any{"name": "gpu0"}}}
	request := map[string]any{"name": "any", "exactly": map[string]any{"deviceClassName": "gpu"}}
	claim := map[string]any{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": map[string]any{"name": gpuJob},
		"spec": map[string]any{"devices": map[string]any{"requests": []any{request}}}}
	job := map[string]any{"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": gpuJob}, "spec": map[string]any{
		"parallelism": n, "completions": n, "template": template}}
	d.apply(at, claim)
	d.apply(at, job)
	for _, later := range mendedBy {
		d.apply(FaultsEnd-time.Second+later, claim)
	}
	d.enoughDevices()
}

// withClaims has a Pod use a shared claim one of so many times, 0 for never, and one of a template beside it, or instead of it.
// It has never two of templates: when one of those is deleted, upstream's controller applies first one and then the other to the Pod's status, each time
// without the one before (syncPod).
func (d *dice) withClaims(at time.Duration, spec map[string]any, shared, both int) {
	var list, used []any
	add := func(field, value string) {
		name := fmt.Sprint("gpu", len(list))
		list, used = append(list, map[string]any{"name": name, field: value}), append(used, map[string]any{"name": name})
	}
	if shared > 0 && d.IntN(shared) == 0 {
		name := fmt.Sprintf("%s-%d", gpuClaim, d.IntN(gpuClaims))
		add("resourceClaimName", name)
		if d.IntN(4) > 0 {
			d.sharedClaim(at, name)
		}
	}
	if len(list) == 0 || both > 0 && d.IntN(both) == 0 {
		add("resourceClaimTemplateName", gpuRequests[d.IntN(len(gpuRequests))].name)
	}
	spec["resourceClaims"] = list
	container := spec["containers"].([]any)[0].(map[string]any)
	resources, _ := container["resources"].(map[string]any)
	if resources == nil {
		resources = map[string]any{}
		container["resources"] = resources
	}
	resources["claims"] = used
}
