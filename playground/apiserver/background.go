package apiserver

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
	"kubewalk/playground/store"
)

// systemNamespaces are there in every cluster.
// Upstream: pkg/controlplane/controller/systemnamespaces/system_namespaces_controller.go.
var systemNamespaces = []string{"default", "kube-node-lease", "kube-public", "kube-system"}

// createSystemNamespaces stores those that are missing, before the server takes requests.
func (s *Server) createSystemNamespaces() {
	uids := s.kernel.Rand("apiserver/uids")
	for _, name := range systemNamespaces {
		key := store.Key{Resource: "namespaces", Name: name}
		if s.store.Current(key) != nil {
			continue
		}
		ns := &corev1.Namespace{
			ObjectMeta: metav1.ObjectMeta{
				Name: name, UID: types.UID(uids.UUID()),
				CreationTimestamp: metav1.NewTime(s.kernel.Time()).Rfc3339Copy(),
				Labels:            map[string]string{corev1.LabelMetadataName: name},
			},
			Spec:   corev1.NamespaceSpec{Finalizers: []corev1.FinalizerName{corev1.FinalizerKubernetes}},
			Status: corev1.NamespaceStatus{Phase: corev1.NamespaceActive},
		}
		api.SetKind(ns)
		if _, err := s.store.Create(nil, key, ns); err != nil {
			s.kernel.Logger().Error(err, "Unable to create required kubernetes system Namespace", "namespace", name)
		}
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
