package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/coordinationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/controller/deployment"
	"kubewalk/playground/controlplane/controller/replicaset"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/node/kwok"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Preload is what is in etcd when the cluster starts, as if it was restored from
// a snapshot: hollow nodes, and Deployments whose Pods run on them. A cluster of
// 150,000 Pods cannot be grown while somebody waits.
//
// Nothing of it is made up: a small cluster of the same kind is grown first, with
// one hollow node and each Deployment with one Pod; and what stands there in the
// end is copied as often as it takes, each copy with a name, a UID, a node and an
// address of its own.
type Preload struct {
	Deployments int    `json:"deployments"`
	Replicas    int    `json:"replicas"`         // of each
	Image       string `json:"image,omitempty"`  // "" is nginx:1.27
	CPU         string `json:"cpu,omitempty"`    // what a Pod requests; "" is 100m
	Memory      string `json:"memory,omitempty"` // what a Pod requests; "" is 128Mi
}

// mostPreloaded is how many Pods may be there: the limit that Kubernetes names.
const mostPreloaded = 150000

// grownBefore is how long ago the snapshot was taken.
const grownBefore = time.Hour

func (c Config) validatePreload() error {
	p := c.Preload
	if p == nil {
		return nil
	}
	switch {
	case c.HollowNodes == nil || c.HollowNodes.Count == 0:
		return errors.New("preload needs hollowNodes")
	case p.Deployments < 1 || p.Replicas < 0:
		return errors.New("preload needs a number of deployments, and of replicas of each")
	case p.Deployments*p.Replicas > mostPreloaded:
		return fmt.Errorf("preload: %d × %d Pods are more than %d", p.Deployments, p.Replicas, mostPreloaded)
	case p.Deployments*p.Replicas > c.HollowNodes.Count*c.HollowNodes.withDefaults().Pods:
		return fmt.Errorf("preload: %d nodes do not take %d × %d Pods", c.HollowNodes.Count, p.Deployments, p.Replicas)
	}
	for _, name := range []string{deployment.Name, replicaset.Name} {
		if !slices.Contains(c.controllers(), name) {
			return fmt.Errorf("preload needs the %s", name)
		}
	}
	return nil
}

// PreloadedDeployment is the name of one of the Deployments that are there, from 1 on.
func PreloadedDeployment(i int) string { return fmt.Sprint("app-", i) }

// grow makes the small cluster, and waits until it stands.
func (c Config) grow(seed uint64) *Cluster {
	p := *c.Preload
	if p.Image == "" {
		p.Image = "nginx:1.27"
	}
	if p.CPU == "" {
		p.CPU = "100m"
	}
	if p.Memory == "" {
		p.Memory = "128Mi"
	}
	small := c
	small.Epoch, small.Trace, small.Nodes = c.Epoch.Add(-grownBefore), trace.Off, nil
	small.Preload, small.LeaderElect, small.Switch = nil, false, nil
	small.HollowNodes = &HollowNodes{Count: (p.Deployments + 99) / 100, CPU: "1000", Memory: "1000Gi", Pods: 120}
	grown := New(small, seed)
	for i := 1; i <= p.Deployments; i++ {
		name := PreloadedDeployment(i)
		manifest := fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":%q,"labels":{"app":%[1]q}},"spec":{"replicas":1,`+
			`"selector":{"matchLabels":{"app":%[1]q}},"template":{"metadata":{"labels":{"app":%[1]q}},"spec":{"containers":[`+
			`{"name":"app","image":%q,"resources":{"requests":{"cpu":%q,"memory":%q}}}]}}}}`, name, p.Image, p.CPU, p.Memory)
		must(grown.Schedule(Input{At: 5 * time.Second, Kind: Create, Manifest: []byte(manifest)}))
	}
	for until := 10 * time.Second; !grown.available(p.Deployments); until += time.Second {
		if until > 10*time.Minute {
			panic("cluster: the Deployments to be preloaded do not become available")
		}
		grown.RunUntil(until)
	}
	grown.RunUntil(grown.Elapsed() + 5*time.Second) // what follows from that
	return grown
}

// available tells whether so many Deployments have all their Pods.
func (c *Cluster) available(n int) bool {
	for _, obj := range c.objects("deployments") {
		if d := obj.(*appsv1.Deployment); d.Status.AvailableReplicas == 1 && d.Status.ObservedGeneration == d.Generation {
			n--
		}
	}
	return n == 0
}

func (c *Cluster) objects(resource string) []api.Object {
	return c.store.At(resource, "", c.store.Revision())
}

// restore fills the store before anybody reads it.
func (c *Cluster) restore() {
	if c.config.Preload == nil {
		return
	}
	grown := c.config.grow(c.kernel.Rand("preload/seed").Uint64())
	grown.Close()
	r := &restorer{store: c.store, rand: c.kernel.Rand("preload"), grown: grown, names: map[string]bool{}}
	r.store.Reserve("pods", c.config.Preload.Deployments*c.config.Preload.Replicas)
	r.nodes(c.config.hollow())
	for _, obj := range grown.objects("deployments") {
		r.deployment(obj.(*appsv1.Deployment), c.config.Preload.Replicas)
	}
	r.store.Restored()
}

// restorer copies what has grown.
type restorer struct {
	store *store.Store
	rand  *sim.Rand
	grown *Cluster
	at    []place         // where Pods go
	next  int             // the place of the next one
	names map[string]bool // of a ReplicaSet's Pods
}

// place is a node, as its Pods show it.
type place struct {
	name, prefix string
	hostIP       string
	hostIPs      []corev1.HostIP
	pods         int
}

func (r *restorer) uid() types.UID { return types.UID(r.rand.UUID()) }

func (r *restorer) put(resource string, obj api.Object) {
	r.store.Restore(store.Key{Resource: resource, Namespace: obj.GetNamespace(), Name: obj.GetName()}, obj)
}

// nodes restores the hollow nodes and their Leases.
func (r *restorer) nodes(hollow []kwok.Node) {
	node := r.grown.objects("nodes")[0].(*corev1.Node)
	lease := r.grown.objects("leases")[0].(*coordinationv1.Lease)
	for i := range hollow {
		h := &hollow[i]
		n := *node
		n.Name, n.UID = h.Name, r.uid()
		n.Labels = make(map[string]string, len(node.Labels)+len(h.Labels))
		for k, v := range node.Labels { // order: they go into a map
			n.Labels[k] = v
		}
		for k, v := range h.Labels { // order: they go into a map
			n.Labels[k] = v
		}
		n.Labels["kubernetes.io/hostname"] = h.Name
		n.Spec.PodCIDR, n.Spec.PodCIDRs = h.PodCIDR, []string{h.PodCIDR}
		n.Status.Capacity, n.Status.Allocatable = h.Capacity, h.Capacity
		n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: h.InternalIP}}
		r.put("nodes", &n)
		l := *lease
		l.Name, l.UID = h.Name, r.uid()
		l.OwnerReferences = slices.Clone(lease.OwnerReferences)
		l.OwnerReferences[0].Name, l.OwnerReferences[0].UID = n.Name, n.UID
		l.Spec.HolderIdentity = &h.Name
		r.put("leases", &l)
		r.at = append(r.at, place{h.Name, kwok.Prefix(h.PodCIDR), h.InternalIP, []corev1.HostIP{{IP: h.InternalIP}}, 0})
	}
}

// deployment restores a Deployment, its ReplicaSet and that one's Pods.
func (r *restorer) deployment(grown *appsv1.Deployment, replicas int) {
	n := int32(replicas)
	d := grown.DeepCopy()
	d.UID = r.uid()
	d.Spec.Replicas = &n
	st := &d.Status
	st.Replicas, st.UpdatedReplicas, st.ReadyReplicas, st.AvailableReplicas = n, n, n, n
	r.put("deployments", d)
	var from *appsv1.ReplicaSet
	for _, obj := range r.grown.objects("replicasets") {
		if metav1.IsControlledBy(obj, grown) {
			from = obj.(*appsv1.ReplicaSet)
		}
	}
	rs := from.DeepCopy()
	rs.UID, rs.OwnerReferences[0].UID = r.uid(), d.UID
	rs.Spec.Replicas = &n
	rs.Status.Replicas, rs.Status.FullyLabeledReplicas, rs.Status.ReadyReplicas, rs.Status.AvailableReplicas = n, n, n, n
	deployment.SetReplicasAnnotations(rs, n, n+deployment.MaxSurge(d))
	r.put("replicasets", rs)
	for _, obj := range r.grown.objects("pods") {
		if metav1.IsControlledBy(obj, from) {
			r.pods(obj.(*corev1.Pod), rs, replicas)
		}
	}
}

// podsAtOnce is how many Pods are made in one piece: as many as Go's allocator takes for a small one (32 kB).
const podsAtOnce = 27

// pods restores the Pods of a ReplicaSet. They share what is the same in all.
func (r *restorer) pods(grown *corev1.Pod, rs *appsv1.ReplicaSet, replicas int) {
	clear(r.names)
	shared := grown.DeepCopy()
	shared.OwnerReferences[0].UID = rs.UID
	var batch []corev1.Pod
	for i := range replicas {
		if len(batch) == 0 {
			batch = make([]corev1.Pod, min(replicas-i, podsAtOnce))
		}
		pod := &batch[0]
		batch = batch[1:]
		*pod = *shared
		for pod.Name = ""; pod.Name == "" || r.names[pod.Name]; {
			pod.Name = pod.GenerateName + r.rand.Suffix(5)
		}
		r.names[pod.Name] = true
		pod.UID = r.uid()
		at := &r.at[r.next]
		r.next = (r.next + 1) % len(r.at)
		pod.Spec.NodeName = at.name
		pod.Status.HostIP, pod.Status.HostIPs = at.hostIP, at.hostIPs
		pod.Status.PodIP = at.prefix + strconv.Itoa(2+at.pods)
		at.pods++
		pod.Status.PodIPs = []corev1.PodIP{{IP: pod.Status.PodIP}}
		r.put("pods", pod)
	}
}
