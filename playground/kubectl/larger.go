package kubectl

import "strings"

// NeedsLarger says whether a command line asks for what only the browser's larger build does, and this program is the other one.
func NeedsLarger(args []string) bool {
	inv, err := parse(args)
	if Kustomizes() || err != nil || inv.command == nil {
		return false
	}
	output, _, _ := strings.Cut(inv.flags.text("output"), "=")
	return inv.name == "explain" ||
		inv.name == "patch" && inv.flags.has("patch") && inYAML(inv.flags.text("patch")) || inv.name == "kustomize" ||
		inv.flags.has("kustomize") || output == "go-template" || output == "template" ||
		output == "" && inv.flags.has("template")
}
