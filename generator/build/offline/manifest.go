package offline

import (
	"encoding/json"
	"fmt"
)

// App is a language's book as an application that can be installed.
type App struct {
	Language    string
	Name        string
	Description string
	Start       string // address of the home page
	Scope       string // address below which all pages are
	SVG         string // address of the icon
	Folder      string // address of the icons drawn of it; "" when there are none
	Background  string // colour: of the first moment, and of the window's bar
}

// Manifest is the web app manifest.
func (a App) Manifest() []byte {
	type icon struct {
		Src     string `json:"src"`
		Sizes   string `json:"sizes"`
		Type    string `json:"type"`
		Purpose string `json:"purpose,omitempty"`
	}
	icons := []icon{{a.SVG, "any", "image/svg+xml", ""}}
	for _, i := range Installed {
		if a.Folder == "" || i.Name == Apple {
			continue
		}
		purpose := ""
		if i.Maskable {
			purpose = "maskable"
		}
		icons = append(icons, icon{a.Folder + i.Name, fmt.Sprintf("%dx%d", i.Size, i.Size), "image/png", purpose})
	}
	data, err := json.MarshalIndent(struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Description string `json:"description"`
		Language    string `json:"lang"`
		Start       string `json:"start_url"`
		Scope       string `json:"scope"`
		// With a way back: a book is more than one page.
		Display    string `json:"display"`
		Background string `json:"background_color"`
		Theme      string `json:"theme_color"`
		Icons      []icon `json:"icons"`
	}{a.Start, a.Name, a.Description, a.Language, a.Start, a.Scope, "minimal-ui", a.Background, a.Background, icons}, "", "  ")
	if err != nil {
		panic("offline: manifest: " + err.Error()) // texts and numbers
	}
	return append(data, '\n')
}
