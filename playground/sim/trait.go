package sim

// Trait is a way in which a program is built otherwise than the real one: the
// ground of a counterfactual. What is built for a component asks for it where it
// is made (a queue, a table of expectations), so that the code that uses it is
// the same in each world.
type Trait string

// Traits.
const (
	// Forgetful programs remember nothing of what they asked for.
	Forgetful Trait = "forgetful"
	// Hasty programs do not wait before they try again.
	Hasty Trait = "hasty"
	// EdgeTriggered programs act on events, not on the state.
	EdgeTriggered Trait = "edge-triggered"
)

// Build says that components of that name are built with a trait, from their
// next start on.
func (k *Kernel) Build(component string, t Trait) {
	if k.traits == nil {
		k.traits = map[string]Trait{}
	}
	k.traits[component] = t
}

// Is tells whether the component is built with a trait.
func (c *Component) Is(t Trait) bool { return c.kernel.traits[c.name] == t }
