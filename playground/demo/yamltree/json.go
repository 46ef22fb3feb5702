package yamltree

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// JSON writes a value as JSON, keys in the file's order, numbers as they stand
// there: the API server is to judge what the author wrote.
func (v Value) JSON() (json.RawMessage, error) {
	w := &jsonWriter{}
	if err := w.write(v, 0); err != nil {
		return nil, err
	}
	out := w.b.String()
	if !json.Valid([]byte(out)) {
		return nil, errors.New("it cannot be written as JSON")
	}
	return json.RawMessage(out), nil
}

type jsonWriter struct {
	b     strings.Builder
	nodes int
}

func (w *jsonWriter) write(v Value, depth int) error {
	if w.nodes++; w.nodes > MaxNodes || depth > maxDepth {
		return errors.New("it is too large: does an alias refer to something that contains it?")
	}
	switch n := v.node.(type) {
	case nil:
		w.b.WriteString("null")
	case *ast.MappingNode:
		w.b.WriteByte('{')
		for i, e := range v.Entries() {
			if i > 0 {
				w.b.WriteByte(',')
			}
			w.text(e.Name)
			w.b.WriteByte(':')
			if err := w.write(e.Value, depth+1); err != nil {
				return err
			}
		}
		w.b.WriteByte('}')
	case *ast.SequenceNode:
		w.b.WriteByte('[')
		for i, item := range v.Items() {
			if i > 0 {
				w.b.WriteByte(',')
			}
			if err := w.write(item, depth+1); err != nil {
				return err
			}
		}
		w.b.WriteByte(']')
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		text, err := json.Marshal(n.(ast.ScalarNode).GetValue())
		if err != nil {
			return err
		}
		w.b.Write(text)
	default:
		text, ok := scalar(n)
		if !ok {
			return fmt.Errorf("%s has no place in it", n.Type())
		}
		w.text(text)
	}
	return nil
}

func (w *jsonWriter) text(s string) {
	text, _ := json.Marshal(s) // a string always can be
	w.b.Write(text)
}
