package cluster

import (
	"strings"

	"kubewalk/playground/trace"
)

// Type is the input that types a line, Value, to the command that goes on at the terminal: kubectl exec -it. Ctrl-C is "\x03", Ctrl-D "\x04".
const Type Kind = "type"

var _ = register(Type, action{
	validate: func(Input) error { return nil },
	words:    func(in Input) string { return string(in.Kind) + " " + visible(in.Value) },
	attrs:    func(in Input) []trace.Attr { return trace.Attrs("line", visible(in.Value)) },
	do: func(c *Cluster, i int) {
		o := &c.results[i]
		if o.Done = true; !c.terminal.Type(o.Input.Value) {
			o.Error = "no command reads what is typed: kubectl exec -it runs one that does"
			c.tell(Type, "", o.Error)
		}
	},
})

// visible is a line with its keys as a terminal shows them.
func visible(line string) string {
	return strings.NewReplacer("\x03", "^C", "\x04", "^D").Replace(line)
}
