//go:build js && !cel

package kubectl

import (
	"fmt"

	"kubewalk/playground/api"
)

// rare leaves every kind to generic.
func (d *describer) rare(api.Object) bool { return false }

const hasRare = false

// rareCommand says that it isn't here. The page takes the larger build when one is typed, if it can: see cluster.NeedsLarger.
func rareCommand(name string) func(*session) error {
	return func(*session) error {
		return fmt.Errorf("kubectl %s is absent here: the control plane that has it could not be loaded", name)
	}
}

func aboutCommand(string) string { return "" }

func aboutFlag(string, string) string { return "" }
