package kubectl

// Flag is an option of a command, for who compares them with the real kubectl's.
type Flag struct {
	Name, Shorthand string
	// Kind is "bool", "text", "list", "number" or "duration".
	Kind string
	// Absent is set if the flag is refused.
	Absent bool
}

// Flags are those of every command, by the command's name: "rollout undo".
func Flags() map[string][]Flag {
	kinds := map[byte]string{isBool: "bool", isText: "text", isList: "list", isNumber: "number", isDuration: "duration"}
	all := map[string][]Flag{}
	for _, c := range commands {
		for _, f := range parseSpec(c.flags) {
			all[c.name] = append(all[c.name], Flag{f.name, f.short, kinds[f.kind], f.absent})
		}
	}
	return all
}
