package apiserver

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/apiregistrationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schedulingv1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// systemNamespaces are there in every cluster.
// Upstream: pkg/controlplane/controller/systemnamespaces/system_namespaces_controller.go.
var systemNamespaces = []string{"default", "kube-node-lease", "kube-public", "kube-system"}

// createSystemNamespaces stores those that are missing, before the server takes requests.
func (s *Server) createSystemNamespaces() {
	for _, name := range systemNamespaces {
		s.createSystemObject(nil, "namespaces", &corev1.Namespace{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelMetadataName: name}},
			Spec:       corev1.NamespaceSpec{Finalizers: []corev1.FinalizerName{corev1.FinalizerKubernetes}},
			Status:     corev1.NamespaceStatus{Phase: corev1.NamespaceActive},
		})
	}
}

// systemPriorityClasses are there in every cluster, for what the cluster itself runs.
// Upstream: pkg/apis/scheduling/v1/helpers.go, SystemPriorityClasses; pkg/registry/scheduling/rest/storage_scheduling.go, which
// adds them.
var systemPriorityClasses = []schedulingv1.PriorityClass{
	{ObjectMeta: metav1.ObjectMeta{Name: "system-node-critical"}, Value: 2000001000,
		Description: "Used for system critical pods that must not be moved from their current node."},
	{ObjectMeta: metav1.ObjectMeta{Name: "system-cluster-critical"}, Value: 2000000000,
		Description: "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."},
}

// createSystemPriorityClasses stores those that are missing.
func (s *Server) createSystemPriorityClasses() {
	for i := range systemPriorityClasses {
		class := systemPriorityClasses[i].DeepCopyObject().(*schedulingv1.PriorityClass)
		policy := corev1.PreemptLowerPriority
		class.PreemptionPolicy = &policy
		class.Generation = 1
		s.createSystemObject(nil, "priorityclasses", class)
	}
}

// apiService is a group and version with the priorities by which clients prefer it.
type apiService struct {
	group, version                        string
	groupPriorityMinimum, versionPriority int32
}

// autoManaged is the label of APIServices that the server makes itself: "onstart", or "true" for those of definitions.
// Upstream: kube-aggregator/pkg/controllers/autoregister/autoregister_controller.go, AutoRegisterManagedLabel.
const autoManaged = "kube-aggregator.kubernetes.io/automanaged"

// apiServices are the groups and versions served, that there are from the start.
// Upstream: pkg/controlplane/apiserver/aggregator.go, DefaultGenericAPIServicePriorities and its like.
var apiServices = []apiService{
	{"", "v1", 18000, 1}, {"admissionregistration.k8s.io", "v1", 16700, 15}, {"apiextensions.k8s.io", "v1", 16700, 15},
	{"apps", "v1", 17800, 15}, {"autoscaling", "v2", 17500, 30}, {"batch", "v1", 17400, 15},
	{"coordination.k8s.io", "v1", 16500, 15}, {"discovery.k8s.io", "v1", 16200, 15}, {"events.k8s.io", "v1", 17750, 15},
	{"networking.k8s.io", "v1", 17200, 15}, {"policy", "v1", 17150, 15}, {"rbac.authorization.k8s.io", "v1", 17000, 15},
	{"scheduling.k8s.io", "v1", 16600, 15}, {"storage.k8s.io", "v1", 16800, 15},
}

// rareAPIServices are those of the kinds that a server has only if it was asked for all.
var rareAPIServices = []apiService{
	{"autoscaling", "v1", 17500, 15}, {"certificates.k8s.io", "v1", 17300, 15}, {"flowcontrol.apiserver.k8s.io", "v1", 16100, 21},
	{"node.k8s.io", "v1", 16300, 15},
}

// deviceAPIService is that of the kinds that have to do with devices. Upstream: cmd/kube-apiserver/app/aggregator.go.
var deviceAPIService = apiService{"resource.k8s.io", "v1", 16200, 21}

// rareSystemObjects are objects of such kinds that every cluster has, in builds that contain them.
var rareSystemObjects func(now metav1.Time) []api.Object

// fairness has requests wait for their turn.
type fairness interface {
	// start is called when the server starts, after its caches have been filled.
	start()
	// changed is told of each change in the store, after the caches.
	changed(c *sim.Component, e store.Event)
	// enter waits until a request may go on. leave has to be called when the request is done.
	enter(p *sim.Proc, c *call) (leave func(), err error)
}

// newFairness makes it, in builds that contain its kinds.
var newFairness func(s *Server) fairness

// startFairness begins to have requests wait. Without its kinds a server takes all of them at once.
func (s *Server) startFairness() {
	s.fairness = nil
	if s.opts.AllKinds && newFairness != nil {
		s.fairness = newFairness(s)
		s.fairness.start()
	}
}

// createRareSystemObjects stores those that are missing.
func (s *Server) createRareSystemObjects() {
	if !s.opts.AllKinds || rareSystemObjects == nil {
		return
	}
	for _, obj := range rareSystemObjects(metav1.NewTime(s.kernel.Time()).Rfc3339Copy()) {
		obj.SetGeneration(1)
		s.createSystemObject(nil, api.KindOf(obj).StorageName(), obj)
	}
}

// createAPIServices stores an APIService for each group and version, but for its own, as upstream's registration does.
// Upstream: kube-aggregator/pkg/controllers/autoregister/autoregister_controller.go.
func (s *Server) createAPIServices() {
	for _, g := range apiServices {
		s.createAPIService(nil, g, "onstart")
	}
	if s.opts.AllKinds {
		for _, g := range rareAPIServices {
			s.createAPIService(nil, g, "onstart")
		}
	}
	if s.opts.Devices {
		s.createAPIService(nil, deviceAPIService, "onstart")
	}
}

// createAPIService stores one, unless it is there.
func (s *Server) createAPIService(p *sim.Proc, g apiService, managed string) {
	s.createSystemObject(p, "apiservices", &apiregistrationv1.APIService{
		ObjectMeta: metav1.ObjectMeta{Name: g.version + "." + g.group, Labels: map[string]string{autoManaged: managed}},
		Spec: apiregistrationv1.APIServiceSpec{
			Group: g.group, Version: g.version, GroupPriorityMinimum: g.groupPriorityMinimum, VersionPriority: g.versionPriority,
		},
		Status: apiregistrationv1.APIServiceStatus{Conditions: []apiregistrationv1.APIServiceCondition{{
			Type: apiregistrationv1.Available, Status: apiregistrationv1.ConditionTrue, Reason: "Local",
			Message: "Local APIServices are always available", LastTransitionTime: metav1.NewTime(s.kernel.Time()).Rfc3339Copy(),
		}}},
	})
}

// createSystemObject stores an object that is the server's own, unless it is there. p is nil before the server takes requests.
func (s *Server) createSystemObject(p *sim.Proc, resource string, obj api.Object) {
	key := store.Key{Resource: resource, Namespace: obj.GetNamespace(), Name: obj.GetName()}
	if s.store.Current(key) != nil {
		return
	}
	obj.SetUID(types.UID(s.kernel.Rand("apiserver/uids").UUID()))
	obj.SetCreationTimestamp(metav1.NewTime(s.kernel.Time()).Rfc3339Copy())
	api.SetKind(obj)
	if _, err := s.store.Create(p, key, obj); err != nil && err != store.ErrExists {
		s.kernel.Logger().Error(err, "Unable to create a system object", "resource", resource, "name", obj.GetName())
	}
}

// compact drops, once in an interval, the history that is older than the interval, so that a watch or a list from a
// revision can rely on five minutes. Upstream: storage/etcd3/compact.go, compactor.
func (s *Server) compact(p *sim.Proc) {
	revision := s.store.Revision()
	for {
		p.Sleep(s.opts.CompactionInterval)
		s.store.Compact(revision)
		revision = s.store.Revision()
	}
}

// expireEvents deletes Events whose time is over. Upstream gives them a lease of etcd's.
func (s *Server) expireEvents(p *sim.Proc) {
	for {
		p.Sleep(s.opts.EventTTL / 60)
		for _, obj := range s.store.At("events", "", s.store.Revision()) {
			if p.Time().Sub(obj.GetCreationTimestamp().Time) < s.opts.EventTTL {
				continue
			}
			key := store.Key{Resource: "events", Namespace: obj.GetNamespace(), Name: obj.GetName()}
			if _, err := s.store.Delete(p, key, store.Preconditions{UID: string(obj.GetUID())}, nil); err != nil && err != store.ErrNotFound {
				p.Logger().Error(err, "Unable to expire an Event", "event", key.Ref().Key())
			}
		}
	}
}
