package content

import (
	"fmt"
	"slices"

	"kubewalk/generator/problem"
)

// A page outside of all parts is content/LANGUAGE/PAGE.md, at /LANGUAGE/PAGE/: what a site says about itself, such as who
// publishes it. It is a chapter in all but one thing: it has no place in the reading order, so neither lists of chapters nor
// the bound book have it.

// OutsideIn returns those of a language, by name. The list is not to be changed.
func (b *Book) OutsideIn(language string) (out []*Chapter) {
	for _, c := range b.Outside {
		if c.Language == language {
			out = append(out, c)
		}
	}
	return out
}

// checkOutside refuses what only chapters have, and names that are taken.
func (b *Book) checkOutside(problems *problem.List) {
	for _, c := range b.Outside {
		if c.Order != 0 {
			problems.Add(c.AtKey("order", "page outside of all parts has an order", "remove the line, or move the file into the folder of a part"))
		}
		if c.Meetup != nil {
			problems.Add(c.AtKey("meetup", "page outside of all parts cannot be a meetup", "write a chapter about it; `kubewalk new meetup` creates one"))
		}
		if message := b.Taken(c.Name); message != "" {
			problems.Add(problem.Problem{File: c.File, Message: message, Cure: "give the file another name"})
		}
	}
}

// Taken says what else is, or may be, at /LANGUAGE/NAME/; "" when nothing is.
func (b *Book) Taken(name string) string {
	if slices.ContainsFunc(b.Site.Parts, func(p PartInfo) bool { return p.Name == name }) {
		return fmt.Sprintf("page %q has the name of a part", name)
	}
	if name == TalksFolder || name != GlossaryName && slices.Contains(pagesOfLanguage, name) {
		return fmt.Sprintf("page %q has the name of a page that the build makes", name)
	}
	return ""
}

// checkGlossaryPage tells of a page that is at the glossary's address.
func (b *Book) checkGlossaryPage(problems *problem.List) {
	for _, c := range b.Outside {
		if c.Name == GlossaryName && c.Original == nil {
			problems.Add(problem.Problem{File: c.File, Message: fmt.Sprintf("page %q has the address of the glossary, which %s makes", c.Name, b.glossary.document.File),
				Cure: "give the file another name, or remove glossary.yaml"})
		}
	}
}
