package kubectl

import "encoding/json"

// Flag is an option of a command, for who compares them with the real kubectl's.
type Flag struct {
	Name, Shorthand string
	// Kind is "bool", "text", "list", "number" or "duration".
	Kind string
	// Absent is set if the flag is refused.
	Absent bool
	// Default is what it is when it is not given, as --help shows it.
	Default string
}

// Flags are those of every command, by the command's name: "rollout undo".
func Flags() map[string][]Flag {
	kinds := map[byte]string{isBool: "bool", isText: "text", isList: "list", isNumber: "number", isDuration: "duration"}
	all := map[string][]Flag{}
	for _, c := range commands {
		for _, f := range parseSpec(c.flags) {
			all[c.name] = append(all[c.name], Flag{f.name, f.short, kinds[f.kind], f.absent, f.initial()})
		}
	}
	return all
}

// KYAML is what -o kyaml prints of an object, for who compares it with the real printer.
func KYAML(object any) (string, error) {
	var v any
	text, err := json.Marshal(object)
	if err == nil {
		err = decode(text, &v)
	}
	return kyamlText(v), err
}

// YAML is how a tree is printed, for who compares it with the real printer.
func YAML(tree any) string { return yamlText(tree) }

// absent are the real kubectl's commands that this one lacks: why, and what to use instead.
var absent = map[string]string{
	"kuberc": "there are no files, and so no preferences",
}
