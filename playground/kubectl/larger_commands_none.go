//go:build js && !cel

package kubectl

import "fmt"

const hasRare = false

// rareCommand says that it isn't here. The page takes the larger build when one is typed, if it can: see cluster.NeedsLarger.
func rareCommand(name string) func(*session) error {
	return func(*session) error {
		return fmt.Errorf("kubectl %s is absent here: the control plane that has it could not be loaded", name)
	}
}
