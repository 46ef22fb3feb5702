package netpolicy

import (
	"net/netip"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/node/network"
	"kubewalk/playground/sim"
)

// Name is the agent's component.
const Name = "network-policy"

// podIP finds Pods by address.
const podIP = "podIP"

// Agent decides by NetworkPolicies. It implements network.Gate.
type Agent struct {
	component  *sim.Component
	nameServer string
	pods       cache.Indexer
	namespaces listers.NamespaceLister
	policies   listers.NetworkPolicyLister
}

// Start brings the agent up. Until its caches hold the cluster, and again when it is gone, what was last decided would hold
// on a real node; here everything passes.
func Start(k *sim.Kernel, t client.Transport, fabric *network.Fabric, nameServer string) *Agent {
	a := &Agent{component: k.Start(Name), nameServer: nameServer}
	a.component.OnStop(func() { fabric.SetGate(nil) })
	a.component.Run(func() {
		factory := informers.NewSharedInformerFactory(client.New(t), 0)
		pods, namespaces, policies := factory.Core().V1().Pods(), factory.Core().V1().Namespaces(), factory.Networking().V1().NetworkPolicies()
		pods.Informer().AddIndexers(cache.Indexers{podIP: func(obj any) ([]string, error) {
			pod := obj.(*corev1.Pod)
			if pod.Status.PodIP == "" || pod.Spec.HostNetwork || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
				return nil, nil
			}
			return []string{pod.Status.PodIP}, nil
		}})
		a.pods, a.namespaces, a.policies = pods.Informer().GetIndexer(), namespaces.Lister(), policies.Lister()
		synced := []cache.InformerSynced{pods.Informer().HasSynced, namespaces.Informer().HasSynced, policies.Informer().HasSynced}
		a.component.Go("main", func(p *sim.Proc) {
			p.Logger().Info("Starting network policy agent")
			factory.Start(p)
			if cache.WaitForCacheSync(p, synced...) {
				fabric.SetGate(a)
			}
		})
	})
	return a
}

// Component is the agent's program.
func (a *Agent) Component() *sim.Component { return a.component }

// MayLeave implements network.Gate.
func (a *Agent) MayLeave(source, destination string, port int32, protocol string) (bool, string) {
	return a.decide(networkingv1.PolicyTypeEgress, a.at(source), source, destination, port, protocol)
}

// MayEnter implements network.Gate.
func (a *Agent) MayEnter(source, destination string, port int32, protocol string) (bool, string) {
	return a.decide(networkingv1.PolicyTypeIngress, a.at(destination), source, destination, port, protocol)
}

// at is the Pod that has an address, nil for none.
func (a *Agent) at(ip string) *corev1.Pod {
	if ip == a.nameServer {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "coredns", Labels: map[string]string{"k8s-app": "kube-dns"}}}
	}
	found, err := a.pods.ByIndex(podIP, ip)
	if err != nil || len(found) == 0 {
		return nil
	}
	return found[0].(*corev1.Pod)
}

// decide looks at the policies that select a Pod, for one direction.
func (a *Agent) decide(direction networkingv1.PolicyType, pod *corev1.Pod, source, destination string, port int32, protocol string) (bool, string) {
	if pod == nil || source == destination {
		return true, ""
	}
	all, err := a.policies.NetworkPolicies(pod.Namespace).List(labels.Everything())
	if err != nil {
		return true, ""
	}
	var selecting []string
	for _, policy := range all {
		if !slices.Contains(policy.Spec.PolicyTypes, direction) || !matches(&policy.Spec.PodSelector, pod.Labels) {
			continue
		}
		selecting = append(selecting, policy.Name)
		if direction == networkingv1.PolicyTypeIngress {
			for _, rule := range policy.Spec.Ingress {
				if a.peer(rule.From, policy.Namespace, source) && ports(rule.Ports, pod, port, protocol) {
					return true, ""
				}
			}
			continue
		}
		for _, rule := range policy.Spec.Egress {
			if a.peer(rule.To, policy.Namespace, destination) && ports(rule.Ports, a.at(destination), port, protocol) {
				return true, ""
			}
		}
	}
	if len(selecting) == 0 {
		return true, ""
	}
	reason := "network policy " + pod.Namespace + "/" + strings.Join(selecting, ", ")
	a.component.Kernel().Logger().V(2).Info("No network policy allows it", "direction", string(direction), "pod", pod.Namespace+"/"+pod.Name,
		"source", source, "destination", destination, "port", port, "policies", strings.Join(selecting, " "))
	return false, reason
}

func matches(s *metav1.LabelSelector, set map[string]string) bool {
	selector, err := labels.LabelSelectorAsSelector(s)
	return err == nil && selector.Matches(labels.Set(set))
}

// peer says that one of the peers is at an address; none stands for everybody.
func (a *Agent) peer(peers []networkingv1.NetworkPolicyPeer, namespace, ip string) bool {
	if len(peers) == 0 {
		return true
	}
	pod := a.at(ip)
	for i := range peers {
		p := &peers[i]
		if p.IPBlock != nil {
			if contains(p.IPBlock.CIDR, ip) && !slices.ContainsFunc(p.IPBlock.Except, func(except string) bool { return contains(except, ip) }) {
				return true
			}
			continue
		}
		if pod == nil || p.PodSelector != nil && !matches(p.PodSelector, pod.Labels) {
			continue
		}
		if p.NamespaceSelector == nil {
			if pod.Namespace == namespace {
				return true
			}
			continue
		}
		if ns, err := a.namespaces.Get(pod.Namespace); err == nil && matches(p.NamespaceSelector, ns.Labels) {
			return true
		}
	}
	return false
}

func contains(cidr, ip string) bool {
	prefix, err := netip.ParsePrefix(cidr)
	addr, bad := netip.ParseAddr(ip)
	return err == nil && bad == nil && prefix.Contains(addr)
}

// ports says that one of the ports is meant; none stands for all. A name is one of the destination's containers' ports.
func ports(list []networkingv1.NetworkPolicyPort, to *corev1.Pod, port int32, protocol string) bool {
	if len(list) == 0 {
		return true
	}
	for i := range list {
		p := &list[i]
		if p.Protocol != nil && !strings.EqualFold(string(*p.Protocol), protocol) {
			continue
		}
		switch {
		case p.Port == nil:
			return true
		case p.Port.Type == intstr.Int:
			if port == p.Port.IntVal || p.EndPort != nil && p.Port.IntVal <= port && port <= *p.EndPort {
				return true
			}
		case to != nil:
			for _, c := range to.Spec.Containers {
				for _, cp := range c.Ports {
					if cp.Name == p.Port.StrVal && cp.ContainerPort == port {
						return true
					}
				}
			}
		}
	}
	return false
}
