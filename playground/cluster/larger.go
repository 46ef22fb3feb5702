package cluster

import (
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/apiserver/cel"
	"kubewalk/playground/controlplane/apiserver/pattern"
	"kubewalk/playground/kubectl"
)

// rareWords are in what asks for it: profiles of the node's, the images python and agnhost.
var rareWords = []string{`"localhostProfile"`, `"Unmasked"`, `"python`, "=python", "agnhost"}

// Rare says whether an input asks for what, in the browser, only the larger build does: rare commands, expressions in CEL, patterns
// in the schemas of definitions, profiles of the node's, programs in Python, agnhost's, rare kinds.
func Rare(in Input) bool {
	if in.Kind == Command && kubectl.Rare(in.Args) {
		return true
	}
	for _, text := range append([]string{string(in.Manifest), in.Body}, in.Args...) {
		isRare := slices.ContainsFunc(rareWords, func(word string) bool { return strings.Contains(text, word) })
		if isRare || HasExpressions(text) || strings.Contains(text, "openAPIV3Schema") && pattern.In(text) {
			return true
		}
	}
	return aboutRare(in) != api.Rare{}
}

// serveRare begins to serve the rare kinds that an input is about; nil in a program that has none.
var serveRare func(*Cluster, Input)

// aboutRare says which rare kinds an input is about.
func aboutRare(in Input) (out api.Rare) {
	kubectl.RareKinds(in.Args, &out)
	out.Names(in.Resource)
	for _, text := range append([]string{string(in.Manifest), in.Body, in.URL}, in.Args...) {
		out.Text(text)
	}
	return out
}

// HasExpressions says whether a request or a manifest may bring expressions in CEL into the cluster.
func HasExpressions(text string) bool {
	for _, word := range []string{"x-kubernetes-validations", "matchConditions", "AdmissionPolicy"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// NeedsLarger says whether an input asks for what only the browser's larger build does, and this program is the other one.
func NeedsLarger(in Input) bool { return !kubectl.Whole() && Rare(in) }

// evaluates says whether this program evaluates expressions in CEL, and has the policies that need it.
func evaluates() bool { return kubectl.Whole() && cel.Installed != nil }
