package kubectl

import (
	"strings"

	"kubewalk/playground/api"
)

// Rare says whether a command line asks for what, in the browser, only the larger build does: commands and forms of output that
// few readers type.
func Rare(args []string) bool {
	inv, err := parse(args)
	if err != nil || inv.command == nil {
		return false
	}
	output, _, _ := strings.Cut(inv.flags.text("output"), "=")
	switch inv.name {
	case "describe":
		if len(inv.args) > 0 && describedRarely(inv.args[0]) {
			return true
		}
	case "explain":
		if needsPublished(inv.args) {
			return true
		}
	case "patch":
		if inv.flags.has("patch") && inYAML(inv.flags.text("patch")) {
			return true
		}
	case "kustomize":
		return true
	}
	return rare[inv.name] || inv.flags.has("kustomize") || inv.flags.yes("prune") || output == "kyaml" || output == "go-template" || output == "template" ||
		output == "" && inv.flags.has("template")
}

// RareKinds adds the rare kinds that a command line names, whatever becomes of it.
func RareKinds(args []string, kinds *api.Rare) {
	inv, err := parse(args)
	if err != nil || inv.command == nil {
		return
	}
	if strings.HasPrefix(inv.name, "certificate ") {
		kinds.Names("csr")
	}
	for i, arg := range inv.args {
		if i == 0 || strings.Contains(arg, "/") || inv.name == "auth can-i" {
			kinds.Names(arg)
		}
	}
}

// describedRarely says whether describe has something to say of a kind that only the larger build knows: describer.rare.
func describedRarely(arg string) bool {
	arg, _, _ = strings.Cut(arg, "/")
	for _, name := range strings.Split(arg, ",") {
		if k := api.KindSet(api.AllKinds()).Resolve(name); k != nil {
			switch k.Kind {
			case "Ingress", "NetworkPolicy", "PersistentVolume", "StorageClass", "ServiceAccount", "LimitRange", "CronJob", "Endpoints", "EndpointSlice":
				return true
			}
		}
	}
	return false
}

// needsPublished says whether explain needs what is published of built-in kinds: of them, and of any object's metadata. What
// a definition says of its kind is in its schema.
func needsPublished(args []string) bool {
	if len(args) != 1 {
		return false
	}
	resource, path, _ := strings.Cut(args[0], ".")
	return path == "" || strings.Contains(path, "metadata") || api.KindSet(api.AllKinds()).Resolve(resource) != nil
}

// Whole says whether this program does all that is rare.
func Whole() bool { return hasRare }
