package scene

import (
	"encoding/json"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiregistrationv1"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/trace"
)

// workload is an object in the API server that says how many of something there
// should be, as far as it is drawn.
type workload struct {
	rank    int    // where it stands among the others
	kind    string // of a custom object; "" where the resource tells
	state   string // settled, changing
	details []words
}

// workload notes what an object says, and forgets one that is gone.
func (s *Stage) workload(c trace.Cell, v any) {
	key := c.Owner + " " + c.Key
	w, drawn := describe(v)
	if c.Owner == "services" {
		o, _ := v.(*corev1.Service)
		s.serviceMoved(c.Key, o)
	}
	switch o := v.(type) {
	case *corev1.Service:
		s.balancers[c.Key] = balancerOf(o)
		w, drawn = s.service(c.Key), true
		if o.Spec.Type == corev1.ServiceTypeExternalName { // nobody stands behind a name
			w = workload{rank: 8, state: "settled", details: []words{plain("→ " + o.Spec.ExternalName), plain("")}}
		}
	case *discoveryv1.EndpointSlice:
		s.slice(c.Key, o.Labels[discoveryv1.LabelServiceName], readyEndpoints(o))
	case nil:
		if c.Owner == "services" {
			delete(s.balancers, c.Key)
		}
		if c.Owner == "endpointslices" {
			s.slice(c.Key, "", 0)
		}
	}
	if drawn {
		s.workloads[key] = w
	} else if _, was := s.workloads[key]; was {
		delete(s.workloads, key)
	} else {
		return
	}
	s.dirty.band = true
}

// describe tells what an object asks for and what there is.
func describe(v any) (w workload, ok bool) {
	switch o := v.(type) {
	case *appsv1.Deployment:
		want, st := or(o.Spec.Replicas, 1), o.Status
		w = replicas(want, st.Replicas, st.ReadyReplicas, st.Replicas == want && st.ReadyReplicas == want && st.UpdatedReplicas == want)
		w.rank = 1
		if st.UpdatedReplicas != st.Replicas {
			w.details = append([]words{plain("updated " + n32(st.UpdatedReplicas) + " · ready " + n32(st.ReadyReplicas) + "/" + n32(want))}, w.details...)
		}
	case *appsv1.StatefulSet:
		want, st := or(o.Spec.Replicas, 1), o.Status
		w = replicas(want, st.Replicas, st.ReadyReplicas, st.Replicas == want && st.ReadyReplicas == want)
		w.rank = 2
	case *appsv1.DaemonSet:
		st := o.Status
		w = replicas(st.DesiredNumberScheduled, st.CurrentNumberScheduled, st.NumberReady, st.NumberReady == st.DesiredNumberScheduled)
		w.rank = 3
	case *batchv1.CronJob:
		active := int32(len(o.Status.Active))
		w = workload{rank: 4, state: "settled", details: []words{plain(o.Spec.Schedule + " · active " + n32(active)), plain(o.Spec.Schedule)}}
		if active > 0 {
			w.state = "changing"
		}
	case *batchv1.Job:
		st, want := o.Status, or(o.Spec.Completions, or(o.Spec.Parallelism, 1))
		w = workload{rank: 5, state: "changing", details: []words{
			plain("active " + n32(st.Active) + " · succeeded " + n32(st.Succeeded) + "/" + n32(want) + " · failed " + n32(st.Failed)),
			plain(n32(st.Succeeded) + "/" + n32(want))}}
		for _, c := range st.Conditions {
			if c.Status == corev1.ConditionTrue && (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) {
				w.state = "settled"
			}
		}
	case *autoscalingv2.HorizontalPodAutoscaler:
		st := o.Status
		w = workload{rank: 6, state: "settled", details: []words{
			plain("current " + n32(st.CurrentReplicas) + " · desired " + n32(st.DesiredReplicas)), plain(n32(st.CurrentReplicas) + " → " + n32(st.DesiredReplicas))}}
		if st.CurrentReplicas != st.DesiredReplicas {
			w.state = "changing"
		}
	case *corev1.PersistentVolumeClaim:
		w = phase(string(o.Status.Phase), string(corev1.ClaimBound))
	case *corev1.PersistentVolume:
		w = phase(string(o.Status.Phase), string(corev1.VolumeBound))
	case *appsv1.ReplicaSet:
		want, st := or(o.Spec.Replicas, 1), o.Status
		w = replicas(want, st.Replicas, st.ReadyReplicas, st.Replicas == want && st.ReadyReplicas == want)
		w.rank = 7
	case *networkingv1.Ingress:
		return ingressRules(o), true
	case *apiregistrationv1.APIService:
		return available(o), o.Spec.Service != nil
	case *api.Unstructured:
		return describeCustom(o)
	default:
		return w, false
	}
	return w, true
}

// ingressRules tells which host and path of an Ingress leads to which Service, and whether a controller serves it.
func ingressRules(o *networkingv1.Ingress) workload {
	w := workload{rank: 8, state: "changing", details: []words{plain("")}}
	if len(o.Status.LoadBalancer.Ingress) > 0 {
		w.state = "settled"
	}
	for _, rule := range o.Spec.Rules {
		if rule.HTTP == nil {
			continue
		}
		for _, p := range rule.HTTP.Paths {
			if p.Backend.Service != nil {
				w.details = []words{plain(rule.Host + p.Path + " → " + p.Backend.Service.Name), plain(rule.Host + p.Path), plain(rule.Host)}
				return w
			}
		}
	}
	return w
}

// available says of an APIService whether the server behind it is, as kubectl does.
func available(o *apiregistrationv1.APIService) workload {
	w := workload{state: "changing", details: []words{plain("")}} // whoever has one wants to see it first
	for _, c := range o.Status.Conditions {
		if c.Type != apiregistrationv1.Available {
			continue
		}
		status := string(c.Status)
		if w.details = []words{plain("available " + status), plain(status)}; c.Status == apiregistrationv1.ConditionTrue {
			w.state = "settled"
		} else {
			w.details = append([]words{plain("available " + status + " (" + c.Reason + ")"), plain(status + " (" + c.Reason + ")"), plain(c.Reason)}, w.details...)
		}
	}
	return w
}

// describeCustom tells of an object of a custom kind how many replicas it asks for, if it does, and the first number in its status; of a
// VolumeSnapshot, whether a volume can be made of it.
func describeCustom(o *api.Unstructured) (w workload, ok bool) {
	if o.Kind == "VolumeSnapshot" {
		return snapshot(o), true
	}
	want, ok := numberOf(o, "spec", "replicas")
	if !ok {
		return w, false
	}
	w = workload{kind: o.Kind, state: "settled", details: []words{plain("replicas " + count(want))}}
	status, _ := o.Fields["status"].(map[string]any)
	for _, field := range sortedKeys(status) {
		if there, ok := numberOf(o, "status", field); ok {
			w.details = []words{plain("replicas " + count(want) + " · " + field + " " + count(there)),
				plain("replicas " + count(want) + " · status " + count(there)), plain(count(there) + "/" + count(want))}
			if there != want {
				w.state = "changing"
			}
			break
		}
	}
	return w, true
}

// snapshot says of a VolumeSnapshot whether it is ready, as far as its status tells.
func snapshot(o *api.Unstructured) workload {
	status, _ := o.Fields["status"].(map[string]any)
	w := workload{kind: o.Kind, state: "changing", details: []words{plain("readyToUse false"), plain("not ready")}}
	if ready, _ := status["readyToUse"].(bool); ready {
		w.state, w.details = "settled", []words{plain("readyToUse true"), plain("ready")}
	}
	return w
}

// numberOf is a whole number in an object of a custom kind.
func numberOf(o *api.Unstructured, part, field string) (n int64, ok bool) {
	fields, _ := o.Fields[part].(map[string]any)
	number, ok := fields[field].(json.Number)
	if !ok {
		return 0, false
	}
	n, err := number.Int64()
	return n, err == nil
}

// phase says what phase a volume or a claim is in.
func phase(now, settled string) workload {
	w := workload{rank: 9, state: "changing", details: []words{plain(now)}}
	if now == settled {
		w.state = "settled"
	}
	return w
}

// replicas says how many were asked for, are there, and are ready, in the API's words.
func replicas(want, there, ready int32, settled bool) workload {
	w := workload{state: "changing", details: []words{
		plain("replicas " + n32(want) + " · status " + n32(there) + " · ready " + n32(ready)),
		plain("replicas " + n32(want) + " · ready " + n32(ready)),
		plain("ready " + n32(ready) + "/" + n32(want)),
		said("scene.want", n32(want), n32(there)),
		plain(n32(ready) + "/" + n32(want)),
	}}
	if settled {
		w.state = "settled"
	}
	return w
}

// service tells how many endpoints of a Service are ready.
func (s *Stage) service(key string) workload {
	ready := 0
	for _, n := range s.endpoints[key] { // order: it adds up
		ready += n
	}
	w := workload{rank: 8, state: "settled", details: []words{plain("endpoints " + count(int64(ready))), plain(count(int64(ready)))}}
	if address := s.balancers[key]; address != "" {
		w.details = append([]words{plain(address + " · endpoints " + count(int64(ready))), plain(address)}, w.details...)
	}
	if ready == 0 {
		w.state = "changing"
	}
	return w
}

// balancerOf is the address of a Service's load balancer, in kubectl's words; "" for a Service without one.
func balancerOf(o *corev1.Service) string {
	if o.Spec.Type != corev1.ServiceTypeLoadBalancer {
		return ""
	}
	for _, in := range o.Status.LoadBalancer.Ingress {
		return in.IP + in.Hostname
	}
	return "<pending>"
}

// slice notes how many ready endpoints a slice has, and for which Service.
func (s *Stage) slice(key, service string, ready int) {
	namespace, _, _ := strings.Cut(key, "/")
	owner := namespace + "/" + service
	for _, other := range sortedKeys(s.endpoints) {
		if _, had := s.endpoints[other][key]; had && other != owner {
			set(s.endpoints, other, key, 0, false)
			s.redrawService(other)
		}
	}
	if service != "" {
		set(s.endpoints, owner, key, ready, true)
		s.redrawService(owner)
	}
}

func (s *Stage) redrawService(key string) {
	if _, drawn := s.workloads["services "+key]; drawn {
		s.workloads["services "+key] = s.service(key)
		s.dirty.band = true
	}
}

func readyEndpoints(o *discoveryv1.EndpointSlice) int {
	n := 0
	for i := range o.Endpoints {
		if isReady(&o.Endpoints[i]) {
			n++
		}
	}
	return n
}

func or(p *int32, otherwise int32) int32 {
	if p == nil {
		return otherwise
	}
	return *p
}

func n32(n int32) string { return count(int64(n)) }
