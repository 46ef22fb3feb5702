package discovery

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
)

// APIGroupDiscoveryList is all of a server's groups at once: the answer at /api and at /apis to who asks for that kind.
type APIGroupDiscoveryList struct {
	metav1.TypeMeta
	Metadata struct{}            `json:"metadata"`
	Items    []APIGroupDiscovery `json:"items"`
}

// APIGroupDiscovery is a group with its versions, the preferred one first.
type APIGroupDiscovery struct {
	Metadata struct {
		Name string `json:"name,omitempty"`
	} `json:"metadata"`
	Versions []APIVersionDiscovery `json:"versions"`
}

// APIVersionDiscovery is a version with its resources.
type APIVersionDiscovery struct {
	Version   string                 `json:"version"`
	Resources []APIResourceDiscovery `json:"resources,omitempty"`
	Freshness string                 `json:"freshness"` // "Current" or "Stale"
}

// APIResourceDiscovery is a resource with its subresources.
type APIResourceDiscovery struct {
	Resource         string                    `json:"resource"`
	ResponseKind     GroupVersionKind          `json:"responseKind"`
	Scope            string                    `json:"scope"` // "Namespaced" or "Cluster"
	SingularResource string                    `json:"singularResource"`
	Verbs            []string                  `json:"verbs"`
	ShortNames       []string                  `json:"shortNames,omitempty"`
	Categories       []string                  `json:"categories,omitempty"`
	Subresources     []APISubresourceDiscovery `json:"subresources,omitempty"`
}

// APISubresourceDiscovery is a subresource.
type APISubresourceDiscovery struct {
	Subresource  string           `json:"subresource"`
	ResponseKind GroupVersionKind `json:"responseKind"`
	Verbs        []string         `json:"verbs"`
}

// GroupVersionKind is a kind as discovery writes it: with empty fields, where schema.GroupVersionKind has none.
type GroupVersionKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// Aggregated is the answer at /api (core) or /apis, of all groups.
// Upstream: apiserver/pkg/endpoints/discovery/aggregated.
func (a API) Aggregated(core bool) APIGroupDiscoveryList {
	list := APIGroupDiscoveryList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2"}}
	for _, gv := range a.GroupVersions() {
		if (gv.Group == "") != core {
			continue
		}
		version := APIVersionDiscovery{Version: gv.Version, Resources: a.resources(gv), Freshness: "Current"}
		if a.stale(gv) {
			version.Freshness = "Stale"
		}
		if last := len(list.Items) - 1; last >= 0 && list.Items[last].Metadata.Name == gv.Group {
			list.Items[last].Versions = append(list.Items[last].Versions, version)
			continue
		}
		group := APIGroupDiscovery{Versions: []APIVersionDiscovery{version}}
		group.Metadata.Name = gv.Group
		list.Items = append(list.Items, group)
	}
	return list
}

func (a API) resources(gv schema.GroupVersion) []APIResourceDiscovery {
	var out []APIResourceDiscovery
	for _, k := range a.kindsOf(gv) {
		r := APIResourceDiscovery{Resource: k.Resource, ResponseKind: GroupVersionKind(k.GroupVersionKind), Scope: "Cluster",
			SingularResource: k.Singular, Verbs: Verbs(k), ShortNames: k.ShortNames, Categories: k.Categories}
		if k.Namespaced {
			r.Scope = "Namespaced"
		}
		r.Subresources = Subresources(k)
		out = append(out, r)
	}
	return out
}

// Subresources are a kind's, with what each is about.
func Subresources(k *api.Kind) (out []APISubresourceDiscovery) {
	for _, s := range subresources(k) {
		out = append(out, APISubresourceDiscovery{Subresource: s.Name, ResponseKind: GroupVersionKind(responseKind(k, s)), Verbs: subresourceVerbs(s)})
	}
	return out
}
