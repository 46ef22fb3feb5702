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
	return rare[inv.name] || inv.name == "explain" && needsPublished(inv.args) ||
		inv.name == "patch" && inv.flags.has("patch") && inYAML(inv.flags.text("patch")) || inv.name == "kustomize" ||
		inv.flags.has("kustomize") || output == "kyaml" || output == "go-template" || output == "template" || output == "" && inv.flags.has("template")
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
