//go:build !js || cel

package printers

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/nodev1"
)

func init() {
	rareCells = printer.rare
	columns["RuntimeClass.node.k8s.io"] = "Name|Handler|Age"
}

// rare are the cells of kinds that not every server has.
func (p printer) rare(obj api.Object) []any {
	switch o := obj.(type) {
	case *nodev1.RuntimeClass:
		return []any{o.Name, o.Handler, p.created(o)}
	}
	return nil
}
