package admission

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/apiserver/authorization"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// nodeRestriction lets a kubelet change its own Node and Lease, and the Pods on its node, and nothing else. It knows a kubelet by its
// user, so it has something to say where the cluster asks for authorization.
//
// Simplified: a token's audience is not compared with the Pod's volumes; a claim's status may be changed in any field; and a mirror
// Pod may refer to objects, but no kubelet here makes one. Absent: CSINodes, ResourceSlices and certificates.
// Upstream: plugin/pkg/admission/noderestriction/admission.go, Plugin.Admit.
type nodeRestriction struct{ store *store.Store }

func (*nodeRestriction) Name() string { return "NodeRestriction" }

func (n *nodeRestriction) Admit(_ *sim.Proc, a *Attributes) error {
	if a.Operation == Delete {
		return nil // see Validate: what goes is known there
	}
	return n.admit(a)
}

func (n *nodeRestriction) Validate(_ *sim.Proc, a *Attributes) error {
	if a.Operation != Delete {
		return nil
	}
	return n.admit(a)
}

func (n *nodeRestriction) admit(a *Attributes) error {
	if a.UserInfo == nil {
		return nil
	}
	node, isNode := authorization.NodeOf(a.UserInfo)
	if !isNode {
		return nil
	}
	var err error
	switch a.Kind.Group + "/" + a.Kind.Resource {
	case "/pods":
		err = n.pods(node, a)
	case "/nodes":
		err = n.nodes(node, a)
	case "/persistentvolumeclaims":
		if a.Subresource != "status" {
			err = fmt.Errorf("may only update PVC status")
		}
	case "/serviceaccounts":
		if a.Operation == Create && a.Subresource == "token" {
			err = n.token(node, a)
		}
	case "coordination.k8s.io/leases":
		err = n.lease(node, a)
	}
	if err == nil || apierrors.IsNotFound(err) {
		return err
	}
	return a.forbidden(err)
}

func (n *nodeRestriction) pods(node string, a *Attributes) error {
	pod, _ := a.Object.(*corev1.Pod)
	old, _ := a.OldObject.(*corev1.Pod)
	switch {
	case a.Subresource == "" && a.Operation == Create && pod != nil:
		return n.mirror(node, pod)
	case a.Subresource == "" && a.Operation == Delete && old != nil:
		if old.Spec.NodeName != node {
			return fmt.Errorf("node %q can only delete pods with spec.nodeName set to itself", node)
		}
	case a.Subresource == "":
		return fmt.Errorf("unexpected operation %q, node %q can only create and delete mirror pods", a.Operation, node)
	case a.Subresource == "status" && pod != nil && old != nil:
		if old.Spec.NodeName != node {
			return fmt.Errorf("node %q can only update pod status for pods with spec.nodeName set to itself", node)
		}
		if !maps.Equal(old.Labels, pod.Labels) {
			return fmt.Errorf("node %q cannot update labels through pod status", node)
		}
		if !api.SemanticDeepEqual(old.Status.ResourceClaimStatuses, pod.Status.ResourceClaimStatuses) {
			return fmt.Errorf("node %q cannot update resource claim statues", node)
		}
		if !api.SemanticDeepEqual(old.Status.ExtendedResourceClaimStatus, pod.Status.ExtendedResourceClaimStatus) {
			return fmt.Errorf("node %q cannot update extended resource claim status", node)
		}
	case a.Subresource == "eviction":
		existing, err := n.pod(a.Namespace, a.Name)
		if err != nil {
			return err
		}
		if existing.Spec.NodeName != node {
			return fmt.Errorf("node %s can only evict pods with spec.nodeName set to itself", node)
		}
	default:
		return fmt.Errorf("unexpected pod subresource %q, only 'status' and 'eviction' are allowed", a.Subresource)
	}
	return nil
}

func (n *nodeRestriction) pod(namespace, name string) (*corev1.Pod, error) {
	pod, _ := n.store.Current(store.Key{Resource: "pods", Namespace: namespace, Name: name}).(*corev1.Pod)
	if pod == nil {
		return nil, apierrors.NewNotFound(api.GroupResource{Resource: "pods"}, name)
	}
	return pod, nil
}

// mirror is a Pod that a kubelet creates: one that shows a static Pod of its own.
func (n *nodeRestriction) mirror(node string, pod *corev1.Pod) error {
	const annotation = "kubernetes.io/config.mirror"
	if _, ok := pod.Annotations[annotation]; !ok {
		return fmt.Errorf("pod does not have %q annotation, node %q can only create mirror pods", annotation, node)
	}
	if pod.Spec.NodeName != node {
		return fmt.Errorf("node %q can only create pods with spec.nodeName set to itself", node)
	}
	if len(pod.OwnerReferences) > 1 {
		return fmt.Errorf("node %q can only create pods with a single owner reference set to itself", node)
	}
	if len(pod.OwnerReferences) == 0 {
		return fmt.Errorf("node %q can only create pods with an owner reference set to itself", node)
	}
	switch owner := pod.OwnerReferences[0]; {
	case owner.APIVersion != "v1" || owner.Kind != "Node" || owner.Name != node:
		return fmt.Errorf("node %q can only create pods with an owner reference set to itself", node)
	case owner.Controller == nil || !*owner.Controller:
		return fmt.Errorf("node %q can only create pods with a controller owner reference set to itself", node)
	case owner.BlockOwnerDeletion != nil && *owner.BlockOwnerDeletion:
		return fmt.Errorf("node %q must not set blockOwnerDeletion on an owner reference", node)
	}
	return nil
}

func (n *nodeRestriction) nodes(node string, a *Attributes) error {
	name := a.Name
	if name == "" && a.Object != nil {
		name = a.Object.GetName()
	}
	if name != node {
		return fmt.Errorf("node %q is not allowed to modify node %q", node, name)
	}
	own, _ := a.Object.(*corev1.Node)
	old, _ := a.OldObject.(*corev1.Node)
	switch {
	case a.Operation == Create && own != nil:
		if labels := forbiddenLabels(own.Labels, nil); len(labels) > 0 {
			return fmt.Errorf("node %q is not allowed to set the following labels: %s", node, strings.Join(labels, ", "))
		}
	case a.Operation == Update && own != nil && old != nil:
		if !api.SemanticDeepEqual(own.Spec.Taints, old.Spec.Taints) {
			return fmt.Errorf("node %q is not allowed to modify taints", node)
		}
		if !api.SemanticDeepEqual(own.OwnerReferences, old.OwnerReferences) {
			return fmt.Errorf("node %q is not allowed to modify ownerReferences", node)
		}
		if labels := forbiddenLabels(own.Labels, old.Labels); len(labels) > 0 {
			return fmt.Errorf("is not allowed to modify labels: %s", strings.Join(labels, ", "))
		}
	}
	return nil
}

// kubeletLabels are labels of Kubernetes that kubelets set. Upstream: k8s.io/kubelet/pkg/apis/well_known_labels.go.
var kubeletLabels = []string{"kubernetes.io/hostname", "topology.kubernetes.io/zone", "topology.kubernetes.io/region",
	"failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region", "beta.kubernetes.io/instance-type",
	"node.kubernetes.io/instance-type", "kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/arch"}

// forbiddenLabels are those that differ and that a kubelet may not change, in order.
func forbiddenLabels(labels, old map[string]string) (out []string) {
	within := func(domain, of string) bool { return domain == of || strings.HasSuffix(domain, "."+of) }
	see := func(key string) {
		domain, _, ok := strings.Cut(key, "/")
		switch {
		case !ok:
		case within(domain, "node-restriction.kubernetes.io"):
			out = append(out, key)
		case within(domain, "kubernetes.io") || within(domain, "k8s.io"):
			if !slices.Contains(kubeletLabels, key) && !within(domain, "kubelet.kubernetes.io") && !within(domain, "node.kubernetes.io") {
				out = append(out, key)
			}
		}
	}
	for key, value := range labels { // order: sorted below
		if was, ok := old[key]; !ok || was != value {
			see(key)
		}
	}
	for key := range old { // order: sorted below
		if _, ok := labels[key]; !ok {
			see(key)
		}
	}
	slices.Sort(out)
	return out
}

func (n *nodeRestriction) token(node string, a *Attributes) error {
	r, ok := a.Object.(*authenticationv1.TokenRequest)
	if !ok {
		return fmt.Errorf("unexpected type %T", a.Object)
	}
	ref := r.Spec.BoundObjectRef
	if ref == nil || ref.APIVersion != "v1" || ref.Kind != "Pod" || ref.Name == "" {
		return fmt.Errorf("node requested token not bound to a pod")
	}
	if ref.UID == "" {
		return fmt.Errorf("node requested token with a pod binding without a uid")
	}
	pod, err := n.pod(a.Namespace, ref.Name)
	if err != nil {
		return err
	}
	if ref.UID != pod.UID {
		return fmt.Errorf("the UID in the bound object reference (%s) does not match the UID in record. The object might have been deleted and then recreated", ref.UID)
	}
	if pod.Spec.NodeName != node {
		return fmt.Errorf("node requested token bound to a pod scheduled on a different node")
	}
	return nil
}

func (n *nodeRestriction) lease(node string, a *Attributes) error {
	if a.Namespace != corev1.NamespaceNodeLease {
		return fmt.Errorf("can only access leases in the %q system namespace", corev1.NamespaceNodeLease)
	}
	name := a.Name
	if a.Operation == Create && a.Object != nil {
		name = a.Object.GetName()
	}
	if name != node {
		return fmt.Errorf("can only access node lease with the same name as the requesting node")
	}
	return nil
}
