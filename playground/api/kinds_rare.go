package api

import (
	"slices"
	"strings"
)

// rareKinds are the kinds of AllKinds that Kinds has not: see kinds_rare_table.go.
var rareKinds []*Kind

// storedAs are the names of resources that are another version of one that is stored already.
var storedAs = map[GroupVersionResource]string{
	autoscaling.WithResource("horizontalpodautoscalers"): "horizontalpodautoscalers",
}

// rareNames are the groups of the rare kinds, and by what a person calls their resources, also in a program that does not have them.
var rareNames = map[string]string{
	"certificates.k8s.io":          "certificatesigningrequests certificatesigningrequest csr",
	"flowcontrol.apiserver.k8s.io": "flowschemas flowschema prioritylevelconfigurations prioritylevelconfiguration",
	"node.k8s.io":                  "runtimeclasses runtimeclass",
	deviceGroup:                    "deviceclasses deviceclass resourceclaims resourceclaim resourceclaimtemplates resourceclaimtemplate resourceslices resourceslice",
}

const deviceGroup = "resource.k8s.io"

// Rare says which rare kinds somebody is about: those of devices, or others.
type Rare struct{ Devices, Others bool }

func (r *Rare) add(group string) {
	r.Devices = r.Devices || group == deviceGroup
	r.Others = r.Others || group != deviceGroup
}

// Text adds those of which a manifest, or a path of the API, names the group and version, and those of devices for Pods that claim some.
// Of version 1 of autoscaling every server has the Scale.
func (r *Rare) Text(text string) {
	for group := range rareNames { // order: each is its own
		if strings.Contains(text, group+"/") {
			r.add(group)
		}
	}
	r.Devices = r.Devices || strings.Contains(text, `"resourceClaims"`)
	if _, after, ok := strings.Cut(text, "autoscaling/v1"); ok && strings.Contains(strings.ToLower(text), "horizontalpodautoscaler") &&
		(after == "" || strings.ContainsAny(after[:1], "\"'/ \n\\")) {
		r.add("autoscaling")
	}
}

// Names adds those that a person names as kubectl takes them: "csr", "pods,runtimeclasses.node.k8s.io", "flowschema/a".
func (r *Rare) Names(names string) {
	names, _, _ = strings.Cut(strings.ToLower(names), "/")
	for _, name := range strings.Split(names, ",") {
		plain, version, _ := strings.Cut(name, ".")
		for group, all := range rareNames { // order: each is its own
			if slices.Contains(strings.Fields(all), plain) {
				r.add(group)
			}
		}
		if version == "v1.autoscaling" {
			r.add("autoscaling")
		}
	}
}
