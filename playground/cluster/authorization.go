package cluster

import (
	"slices"
	"strings"

	"kubewalk/playground/controlplane/apiserver"
	"kubewalk/playground/controlplane/apiserver/authorization"
	"kubewalk/playground/controlplane/cloud"
	"kubewalk/playground/controlplane/controller/certificates"
	"kubewalk/playground/controlplane/controller/clusterroleaggregation"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/controlplane/controller/nodelifecycle"
	"kubewalk/playground/controlplane/controller/persistentvolume/provisioner"
	"kubewalk/playground/controlplane/controller/tainteviction"
	"kubewalk/playground/controlplane/controller/validatingadmissionpolicystatus"
	"kubewalk/playground/node/dns"
	"kubewalk/playground/node/ingress"
	"kubewalk/playground/node/kwok"
	"kubewalk/playground/node/netpolicy"
)

// RBAC is Config.Authorization of a cluster that asks who may do what.
const RBAC = authorization.Mode

// Admin is the reader's user. Whoever is in the group system:masters may do everything.
const Admin = "kubernetes-admin"

// bootstrapSigner is a controller that kubeadm switches on: --controllers=*,bootstrapsigner,tokencleaner.
const bootstrapSigner = "bootstrap-signer-controller"

// devicesControllers make the claims of Pods, and evict Pods whose devices are tainted.
var devicesControllers = []string{"resourceclaim-controller", "device-taint-eviction-controller"}

// enabled is Config.Controllers, with those that "*" does not mean where they matter: roles that consist of others are made whole where
// somebody asks for roles, and the status of policies is written where they are carried out.
func (c Config) enabled() []string {
	if len(c.Controllers) > 0 && !slices.Contains(c.Controllers, "*") {
		return c.Controllers
	}
	out := append(slices.Clone(c.Controllers), "*")
	if c.Authorization != "" && !slices.Contains(out, "-"+clusterroleaggregation.Name) {
		out = append(out, clusterroleaggregation.Name)
	}
	if c.AllKinds && !slices.Contains(out, "-"+certificates.Name) {
		out = append(out, certificates.Name)
	}
	if (c.usesCSI() || c.AllKinds) && !slices.Contains(out, "-"+attachDetach) {
		out = append(out, attachDetach)
	}
	if c.AllKinds && !c.Kubeadm && !slices.Contains(out, "-"+endpointSliceMirroring) {
		out = append(out, endpointSliceMirroring)
	}
	for _, name := range devicesControllers {
		if c.Devices && !slices.Contains(out, "-"+name) {
			out = append(out, name)
		}
	}
	if c.Kubeadm {
		out = append(out, bootstrapSigner)
	}
	if c.CEL && !slices.Contains(out, "-"+validatingadmissionpolicystatus.Name) {
		out = append(out, validatingadmissionpolicystatus.Name)
	}
	return out
}

func (c *Cluster) authorization() *apiserver.Authorization {
	if c.config.Authorization == "" {
		return nil
	}
	users := userOf
	if c.config.Kubeadm {
		users = func(component string) *authorization.User {
			if user := c.kubeadmUser(component); user != nil {
				return user
			}
			return userOf(component)
		}
	}
	return &apiserver.Authorization{Users: users, Policy: c.config.policy()}
}

// userOf is the name by which the API server knows a component: the one that kubeadm gives it. Each controller has a ServiceAccount, as with
// kube-controller-manager --use-service-account-credentials.
func userOf(component string) *authorization.User {
	program, node, _ := strings.Cut(component, "/")
	if account, is := strings.CutPrefix(component, guestUser); is {
		namespace, name, _ := strings.Cut(account, ":")
		return authorization.ServiceAccount(namespace, name)
	}
	if isOperator(component) {
		return authorization.ServiceAccount("default", component)
	}
	switch program {
	case Kubectl, "kubeadm": // which installs the name server
		return authorization.NewUser(Admin, authorization.SystemPrivilegedGroup)
	case "kubelet":
		return authorization.NodeUser(node)
	case "kube-proxy":
		return authorization.NewUser("system:kube-proxy")
	case ingress.Name:
		return authorization.ServiceAccount("ingress-nginx", "ingress-nginx")
	case tainteviction.Name: // upstream: cmd/kube-controller-manager/app/core.go, newTaintEvictionController
		return authorization.ServiceAccount("kube-system", nodelifecycle.Name)
	}
	for _, name := range []string{Scheduler, manager.Component} {
		if component == name || strings.HasPrefix(component, name+"-") {
			return authorization.NewUser("system:" + name)
		}
	}
	return authorization.ServiceAccount("kube-system", component)
}

// attachDetach is the controller that attaches volumes, which clusters with CSI drivers have, and those that serve all kinds.
const attachDetach = "persistentvolume-attach-detach-controller"

// endpointSliceMirroring is the controller for Endpoints that somebody writes by hand, which hardly any demo does.
const endpointSliceMirroring = "endpointslice-mirroring-controller"

// addOns are the roles that programs bring along that are no part of Kubernetes, or have a manifest of their own, as those have them.
// Operators have none: who runs one has to allow it something.
var addOns = map[string]string{
	provisioner.Name: `ClusterRoleBinding hostpath-provisioner ClusterRole:system:persistent-volume-provisioner ServiceAccount:kube-system/hostpath-provisioner
`,
	dns.Name: `ClusterRole system:coredns
list,watch "" endpoints,services,pods,namespaces
list,watch discovery.k8s.io endpointslices
ClusterRoleBinding system:coredns ClusterRole:system:coredns ServiceAccount:kube-system/coredns
`,
	ingress.Name: `ClusterRole ingress-nginx
list,watch "" configmaps,endpoints,nodes,pods,secrets,namespaces
get,list,watch "" services
get,list,watch networking.k8s.io ingresses
create,patch "" events
update networking.k8s.io ingresses/status
get,list,watch,create networking.k8s.io ingressclasses
get,list,watch discovery.k8s.io endpointslices
ClusterRoleBinding ingress-nginx ClusterRole:ingress-nginx ServiceAccount:ingress-nginx/ingress-nginx
`,
	netpolicy.Name: `ClusterRole network-policy
list,watch "" pods,namespaces,nodes
list,watch networking.k8s.io networkpolicies
ClusterRoleBinding network-policy ClusterRole:network-policy ServiceAccount:kube-system/network-policy
`,
	kwok.Name: `ClusterRole kwok-controller
get,list,watch,create,patch,update,delete "" nodes
patch,update "" nodes/status
get,list,watch,patch,update,delete "" pods
patch,update "" pods/status
get,list,watch,create,patch,update,delete coordination.k8s.io leases
create,patch,update "" events
ClusterRoleBinding kwok-controller ClusterRole:kwok-controller ServiceAccount:kube-system/kwok-controller
`,
	cloud.Name: `ClusterRole system:cloud-controller-manager
create,patch,update "",events.k8s.io events
* "" nodes
patch,update "" nodes/status
get,list,patch,update,watch "" services
patch,update "" services/status
create,get,list,watch,update "" serviceaccounts
get,create,update coordination.k8s.io leases
ClusterRoleBinding system:cloud-controller-manager ClusterRole:system:cloud-controller-manager ServiceAccount:kube-system/cloud-controller-manager
`,
}

// policy are the roles of those programs that run.
func (c Config) policy() string {
	var b strings.Builder
	for _, name := range c.Components() {
		b.WriteString(addOns[name])
	}
	return b.String()
}
