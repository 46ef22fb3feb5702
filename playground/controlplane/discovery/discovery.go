// Package discovery says which groups, versions and resources the API server has, as its clients ask for it: once for
// each group and version, or all at once.
//
// Absent: storage versions' hashes.
//
// Upstream: apiserver/pkg/endpoints/discovery; the types are those of apimachinery/pkg/apis/meta/v1 and
// api/apidiscovery/v2.
package discovery

import (
	"cmp"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/api/sorting"
)

// APIVersions is the answer at /api.
type APIVersions struct {
	metav1.TypeMeta
	Versions                   []string                    `json:"versions"`
	ServerAddressByClientCIDRs []ServerAddressByClientCIDR `json:"serverAddressByClientCIDRs"`
}

// ServerAddressByClientCIDR is where clients of a network find the server.
type ServerAddressByClientCIDR struct {
	ClientCIDR    string `json:"clientCIDR"`
	ServerAddress string `json:"serverAddress"`
}

// APIGroupList is the answer at /apis.
type APIGroupList struct {
	metav1.TypeMeta
	Groups []APIGroup `json:"groups"`
}

// APIGroup is a group; by itself it is the answer at /apis/GROUP.
type APIGroup struct {
	metav1.TypeMeta
	Name             string                     `json:"name"`
	Versions         []GroupVersionForDiscovery `json:"versions"`
	PreferredVersion GroupVersionForDiscovery   `json:"preferredVersion"`
}

// GroupVersionForDiscovery is "apps/v1", and "v1" alone.
type GroupVersionForDiscovery struct {
	GroupVersion string `json:"groupVersion"`
	Version      string `json:"version"`
}

// APIResourceList is the answer at /api/v1 and at /apis/GROUP/VERSION.
type APIResourceList struct {
	metav1.TypeMeta
	GroupVersion string        `json:"groupVersion"`
	APIResources []APIResource `json:"resources"`
}

// APIResource is a resource, or a subresource: its name has a slash.
type APIResource struct {
	Name         string   `json:"name"`
	SingularName string   `json:"singularName"`
	Namespaced   bool     `json:"namespaced"`
	Group        string   `json:"group,omitempty"` // where it is not the list's
	Version      string   `json:"version,omitempty"`
	Kind         string   `json:"kind"`
	Verbs        []string `json:"verbs"`
	ShortNames   []string `json:"shortNames,omitempty"`
	Categories   []string `json:"categories,omitempty"`
}

// API is what a server has besides the kinds of package api.
type API struct {
	// Kinds are all that the server serves; nil are those that every server has.
	Kinds api.KindSet
}

func (a API) kinds() []*api.Kind {
	if a.Kinds == nil {
		return api.Kinds()
	}
	return slices.Clone(a.Kinds)
}

// priorities are those of the built-in groups, by which the groups at /apis are sorted, and with it the order in which
// an ambiguous short name is resolved. Definitions' groups have customPriority.
// Upstream: pkg/controlplane/apiserver/aggregator.go, DefaultGenericAPIServicePriorities; cmd/kube-apiserver/app/aggregator.go.
var priorities = map[string]int32{"": 20001, "apiregistration.k8s.io": 20000, "apps": 17800, "events.k8s.io": 17750, "authentication.k8s.io": 17700,
	"authorization.k8s.io": 17600, "autoscaling": 17500, "batch": 17400, "certificates.k8s.io": 17300, "networking.k8s.io": 17200, "policy": 17150,
	"rbac.authorization.k8s.io": 17000, "storage.k8s.io": 16800, "admissionregistration.k8s.io": 16700, "apiextensions.k8s.io": 16700,
	"scheduling.k8s.io": 16600, "coordination.k8s.io": 16500, "node.k8s.io": 16300, "discovery.k8s.io": 16200, "flowcontrol.apiserver.k8s.io": 16100,
	"resource.k8s.io": 16200}

const customPriority = 1000

// GroupVersions are all that there are, in that order, the preferred version of a group first.
// Upstream: kube-aggregator/pkg/apis/apiregistration/v1/helper/helpers.go, SortedByGroupAndVersion.
func (a API) GroupVersions() []schema.GroupVersion {
	var out []schema.GroupVersion
	groups, versions := map[string]int32{}, map[schema.GroupVersion]int32{}
	for _, k := range a.kinds() {
		if other := k.Aggregated; other != nil {
			groups[k.Group] = max(groups[k.Group], other.GroupPriority)
			versions[k.GroupVersion()] = other.VersionPriority
		}
		if (k.Resource != "" || a.stale(k.GroupVersion())) && !slices.Contains(out, k.GroupVersion()) {
			out = append(out, k.GroupVersion())
		}
	}
	priority := func(group string) int32 {
		if p := max(priorities[group], groups[group]); p != 0 {
			return p
		}
		return customPriority
	}
	sorting.Stable(out, func(a, b schema.GroupVersion) int {
		return cmp.Or(cmp.Compare(priority(b.Group), priority(a.Group)), strings.Compare(a.Group, b.Group), cmp.Compare(versions[b], versions[a]),
			schema.CompareVersions(b.Version, a.Version))
	})
	return out
}

// stale tells whether a version's server could not be asked.
func (a API) stale(gv schema.GroupVersion) bool {
	return slices.ContainsFunc(a.Kinds.Custom(), func(k *api.Kind) bool { return k.GroupVersion() == gv && k.Aggregated != nil && k.Aggregated.Stale })
}

// Versions is the answer at /api. address is where the server can be reached: "10.0.0.1:6443".
func Versions(address string) APIVersions {
	return APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"},
		ServerAddressByClientCIDRs: []ServerAddressByClientCIDR{{ClientCIDR: "0.0.0.0/0", ServerAddress: address}}}
}

// Groups is the answer at /apis.
func (a API) Groups() APIGroupList {
	list := APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, gv := range a.GroupVersions() {
		version := GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version}
		switch last := len(list.Groups) - 1; {
		case gv.Group == "":
		case last >= 0 && list.Groups[last].Name == gv.Group:
			list.Groups[last].Versions = append(list.Groups[last].Versions, version)
		default:
			list.Groups = append(list.Groups, APIGroup{Name: gv.Group, Versions: []GroupVersionForDiscovery{version}, PreferredVersion: version})
		}
	}
	return list
}

// Group is the answer at /apis/GROUP. ok is false if there is no such group.
func (a API) Group(name string) (group APIGroup, ok bool) {
	for _, g := range a.Groups().Groups {
		if g.Name == name {
			g.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
			return g, true
		}
	}
	return APIGroup{}, false
}

// Resources is the answer at /apis/GROUP/VERSION. ok is false if there is no such version.
func (a API) Resources(gv schema.GroupVersion) (list APIResourceList, ok bool) {
	list = APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: gv.String()}
	for _, k := range a.kindsOf(gv) {
		list.APIResources = append(list.APIResources, APIResource{Name: k.Resource, SingularName: k.Singular, Namespaced: k.Namespaced, Kind: k.Kind,
			Verbs: Verbs(k), ShortNames: k.ShortNames, Categories: k.Categories})
		for _, s := range subresources(k) {
			r := APIResource{Name: k.Resource + "/" + s.Name, Namespaced: k.Namespaced, Kind: responseKind(k, s).Kind, Verbs: subresourceVerbs(s)}
			if kind := responseKind(k, s); kind.GroupVersion() != gv {
				r.Group, r.Version = kind.Group, kind.Version
			}
			list.APIResources = append(list.APIResources, r)
		}
	}
	return list, len(list.APIResources) > 0
}

// At is the answer at a path of discovery: "/version", "/api", "/apis/apps/v1". address is where the server can be reached. ok is false
// if nothing is there.
func (a API) At(path, address string) (answer any, ok bool) {
	switch parts := strings.Split(strings.Trim(path, "/"), "/"); {
	case path == "/version":
		return Version(), true
	case path == "/api":
		return Versions(address), true
	case path == "/apis":
		return a.Groups(), true
	case parts[0] == "api" && len(parts) == 2:
		return a.Resources(schema.GroupVersion{Version: parts[1]})
	case parts[0] == "apis" && len(parts) == 2:
		return a.Group(parts[1])
	case parts[0] == "apis" && len(parts) == 3:
		return a.Resources(schema.GroupVersion{Group: parts[1], Version: parts[2]})
	}
	return nil, false
}

// Unavailable tells whether a path is one of a server behind this one that could not be asked.
func (a API) Unavailable(path string) bool {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	return len(parts) == 3 && parts[0] == "apis" && a.stale(schema.GroupVersion{Group: parts[1], Version: parts[2]})
}

// kindsOf are the kinds of a version that have a resource, by its name.
func (a API) kindsOf(gv schema.GroupVersion) []*api.Kind {
	kinds := slices.DeleteFunc(a.kinds(), func(k *api.Kind) bool { return k.Resource == "" || k.GroupVersion() != gv })
	slices.SortFunc(kinds, func(a, b *api.Kind) int { return strings.Compare(a.Resource, b.Resource) })
	return kinds
}

// Verbs are what can be done with a kind, in the order of the alphabet. Upstream: each resource's rest.Storage implements some.
func Verbs(k *api.Kind) []string {
	switch {
	case k.Aggregated != nil:
		return k.Aggregated.Verbs
	case k.NewList == nil:
		return []string{"create"}
	case k.Resource == "componentstatuses":
		return []string{"get", "list"}
	case k.Resource == "namespaces":
		return []string{"create", "delete", "get", "list", "patch", "update", "watch"}
	}
	return []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
}

// subresources are a kind's, by name. Nodes, Pods and Services have one of which the kind knows nothing, because no object is behind it.
func subresources(k *api.Kind) []api.Subresource {
	if gr := k.GroupResource(); gr.Group != "" || gr.Resource != "nodes" && gr.Resource != "pods" && gr.Resource != "services" {
		return k.Subresources
	}
	i, _ := slices.BinarySearchFunc(k.Subresources, proxy, func(s api.Subresource, name string) int { return strings.Compare(s.Name, name) })
	return slices.Insert(slices.Clone(k.Subresources), i, api.Subresource{Name: proxy})
}

const proxy = "proxy"

// Connects tells whether a subresource is a connection, and which options it has.
func Connects(k *api.Kind, subresource string) (options string, ok bool) {
	if subresource == proxy {
		return k.Kind + "ProxyOptions", true
	}
	options, ok = connected[subresource]
	return options, ok
}

// connected are the kinds of the options with which a connection is opened.
var connected = map[string]string{"exec": "PodExecOptions", "attach": "PodAttachOptions", "portforward": "PodPortForwardOptions"}

func subresourceVerbs(s api.Subresource) []string {
	switch s.Name {
	case "binding", "eviction", "token":
		return []string{"create"}
	case "log":
		return []string{"get"}
	case "finalize":
		return []string{"update"}
	case proxy:
		return []string{"create", "delete", "get", "patch", "update"}
	}
	if connected[s.Name] != "" {
		return []string{"create", "get"}
	}
	return []string{"get", "patch", "update"}
}

func responseKind(k *api.Kind, s api.Subresource) schema.GroupVersionKind {
	if kind, ok := Connects(k, s.Name); ok {
		return k.GroupVersion().WithKind(kind)
	}
	if s.Kind.Kind != "" {
		return s.Kind
	}
	return k.GroupVersionKind
}
