package authorization

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/policyrule"
	"kubewalk/playground/api/rbacv1"
)

// NodeOf is the node that a user is the kubelet of. Upstream: pkg/auth/nodeidentifier/default.go, NodeIdentity.
func NodeOf(user *User) (name string, is bool) {
	name, named := strings.CutPrefix(user.Username, nodePrefix)
	return name, named && slices.Contains(user.Groups, NodesGroup)
}

// node allows a kubelet what it needs for the Pods that are bound to its node. It looks at the Pods that there are, where upstream has a graph.
// Upstream: plugin/pkg/auth/authorizer/node/node_authorizer.go, NodeAuthorizer.Authorize.
func (z *Authorizer) node(a *Attributes) (allowed bool, reason string) {
	node, is := NodeOf(a.User)
	if !is {
		return false, ""
	}
	if a.Path == "" {
		switch a.Resource + "." + a.Group {
		case "secrets.", "configmaps.":
			return z.ofNode(a, node, false, "get", "list", "watch")
		case "persistentvolumeclaims.":
			if a.Subresource == "status" {
				return z.ofNode(a, node, true, "update", "patch")
			}
			return z.ofNode(a, node, false, "get")
		case "persistentvolumes.":
			return z.ofNode(a, node, false, "get")
		case "serviceaccounts.":
			if a.Subresource == "token" {
				return z.ofNode(a, node, true, "create")
			}
			return z.ofNode(a, node, false, "get")
		case "leases.coordination.k8s.io":
			return authorizeLease(a, node)
		case "nodes.":
			return authorizeNode(a, node)
		case "pods.":
			return z.authorizePod(a, node)
		}
	}
	return slices.ContainsFunc(z.nodeRules, func(rule rbacv1.PolicyRule) bool { return policyrule.Allows(&rule, a.Request) }), ""
}

// ofNode allows some verbs on an object that a Pod of the node needs.
func (z *Authorizer) ofNode(a *Attributes, node string, subresource bool, verbs ...string) (bool, string) {
	switch {
	case !slices.Contains(verbs, a.Verb) && len(verbs) == 1 && verbs[0] == "create":
		return false, "can only create tokens for individual service accounts"
	case !slices.Contains(verbs, a.Verb) && slices.Contains(verbs, "list"):
		return false, "can only read resources of this type"
	case !slices.Contains(verbs, a.Verb) && slices.Contains(verbs, "update"):
		return false, "can only get/update/patch this type"
	case !slices.Contains(verbs, a.Verb):
		return false, "can only get individual resources of this type"
	case !subresource && a.Subresource != "" && slices.Contains(verbs, "list"):
		return false, "cannot read subresource"
	case !subresource && a.Subresource != "":
		return false, "cannot get subresource"
	case a.Name == "":
		return false, "No Object name found"
	case !z.needed(node, a.Resource, a.Namespace, a.Name):
		return false, fmt.Sprintf("no relationship found between node '%s' and this object", node)
	}
	return true, ""
}

func authorizeLease(a *Attributes, node string) (bool, string) {
	switch {
	case !slices.Contains([]string{"get", "create", "update", "patch", "delete"}, a.Verb):
		return false, "can only get, create, update, patch, or delete a node lease"
	case a.Namespace != corev1.NamespaceNodeLease:
		return false, fmt.Sprintf("can only access leases in the %q system namespace", corev1.NamespaceNodeLease)
	case a.Verb != "create" && a.Name != node:
		return false, "can only access node lease with the same name as the requesting node"
	}
	return true, ""
}

func authorizeNode(a *Attributes, node string) (bool, string) {
	switch a.Verb {
	case "update", "patch":
		return a.Subresource == "" || a.Subresource == "status", ""
	case "create":
		return a.Subresource == "", ""
	case "get", "list", "watch":
		switch {
		case a.Subresource != "" || a.Name == node:
			return a.Subresource == "", ""
		case a.Name == "":
			return false, fmt.Sprintf("node '%s' cannot read all nodes, only its own Node object", node)
		}
		return false, fmt.Sprintf("node '%s' cannot read '%s', only its own Node object", node, a.Name)
	}
	return false, ""
}

func (z *Authorizer) authorizePod(a *Attributes, node string) (bool, string) {
	switch a.Subresource {
	case "":
		switch a.Verb {
		case "get":
			return z.ofNode(a, node, false, "get")
		case "list", "watch":
			switch {
			case a.FieldNode == node:
				return true, ""
			case a.Name != "":
				return z.ofNode(a, node, false, "list", "watch")
			}
			return false, "can only list/watch pods with spec.nodeName field selector"
		case "create", "delete":
			return true, ""
		}
	case "status":
		return a.Verb == "update" || a.Verb == "patch", ""
	case "eviction":
		return a.Verb == "create", ""
	}
	return false, ""
}

// needed tells whether a Pod that is bound to a node is, or refers to, an object. Upstream: node/graph.go, Graph.AddPod and AddPV.
func (z *Authorizer) needed(node, resource, namespace, name string) bool {
	for _, obj := range z.store.List("pods", namespace) {
		pod := obj.(*corev1.Pod)
		if pod.Spec.NodeName != node {
			continue
		}
		switch resource {
		case "pods":
			if pod.Name == name {
				return true
			}
		case "persistentvolumes":
			if z.needsVolume(pod, name) {
				return true
			}
		default:
			found := false
			refersTo(pod, func(to, called string) { found = found || to == resource && called == name })
			if found {
				return true
			}
		}
	}
	return false
}

func (z *Authorizer) needsVolume(pod *corev1.Pod, name string) (found bool) {
	refersTo(pod, func(to, called string) {
		if to == "persistentvolumeclaims" {
			claim, _ := z.store.Get(to, pod.Namespace, called).(*corev1.PersistentVolumeClaim)
			found = found || claim != nil && claim.Spec.VolumeName == name
		}
	})
	return found
}

// refersTo names the objects of its namespace that a Pod needs on its node.
func refersTo(pod *corev1.Pod, to func(resource, name string)) {
	to("serviceaccounts", pod.Spec.ServiceAccountName)
	for _, s := range pod.Spec.ImagePullSecrets {
		to("secrets", s.Name)
	}
	environment := func(from []corev1.EnvFromSource, env []corev1.EnvVar) {
		for _, f := range from {
			if f.SecretRef != nil {
				to("secrets", f.SecretRef.Name)
			}
			if f.ConfigMapRef != nil {
				to("configmaps", f.ConfigMapRef.Name)
			}
		}
		for _, e := range env {
			if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil {
				to("secrets", e.ValueFrom.SecretKeyRef.Name)
			}
			if e.ValueFrom != nil && e.ValueFrom.ConfigMapKeyRef != nil {
				to("configmaps", e.ValueFrom.ConfigMapKeyRef.Name)
			}
		}
	}
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		environment(c.EnvFrom, c.Env)
	}
	for _, c := range pod.Spec.EphemeralContainers {
		environment(c.EnvFrom, c.Env)
	}
	for _, v := range pod.Spec.Volumes {
		switch {
		case v.Secret != nil:
			to("secrets", v.Secret.SecretName)
		case v.ConfigMap != nil:
			to("configmaps", v.ConfigMap.Name)
		case v.PersistentVolumeClaim != nil:
			to("persistentvolumeclaims", v.PersistentVolumeClaim.ClaimName)
		case v.Ephemeral != nil:
			to("persistentvolumeclaims", pod.Name+"-"+v.Name)
		case v.Projected != nil:
			for _, s := range v.Projected.Sources {
				if s.Secret != nil {
					to("secrets", s.Secret.Name)
				}
				if s.ConfigMap != nil {
					to("configmaps", s.ConfigMap.Name)
				}
			}
		}
	}
}

// nodeRules are those of the ClusterRole system:node, which is bound to nobody.
func nodeRules() []rbacv1.PolicyRule {
	for _, obj := range Bootstrap() {
		if role, is := obj.(*rbacv1.ClusterRole); is && role.Name == "system:node" {
			return role.Rules
		}
	}
	panic("there is no ClusterRole system:node")
}
