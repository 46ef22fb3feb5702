package edition

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kubewalk/generator/headers"
	"kubewalk/generator/palette"
	"kubewalk/generator/problem"
	"kubewalk/site/pages"
)

// identify gives the site what makes it this book's: colours, icon, sign, and
// what stands below its pages.
func (e *edition) identify(a *pages.Assets) error {
	own, problems := &e.book.Site, problem.List{}
	if accent := own.Theme.Accent; accent != nil && accent.Light != "" && accent.Dark != "" {
		css := palette.CSS(accent.Light, accent.Dark)
		a.Styles = append(a.Styles, e.site.Link("/"+e.tree.PutHashed(headers.Assets+"/colours.css", []byte(css))))
		e.stillStyle += css
		// The theme's icon is of its accent.
		if icon, ok := e.tree.Get(strings.TrimPrefix(a.Icon, e.site.Link("/"))); ok && own.Icon == "" {
			icon = bytes.ReplaceAll(icon, []byte(palette.Default), []byte(accent.Light))
			a.Icon = e.site.Link("/" + e.tree.PutHashed(headers.Assets+"/icon.svg", icon))
		}
	}
	put := func(key, file string, address *string) {
		if file == "" {
			return
		}
		data, err := os.ReadFile(filepath.Join(e.options.Content, filepath.FromSlash(file)))
		if err != nil {
			cure := "it is looked for beside site.yaml"
			if !errors.Is(err, fs.ErrNotExist) {
				cure = err.Error()
			} else if near := e.besideSite(file); near != "" {
				cure = near
			}
			problems.Add(e.book.At(key, fmt.Sprintf("%s %q is not there", key, file), cure))
			return
		}
		*address = e.site.Link("/" + e.tree.PutHashed(headers.Assets+"/"+key+filepath.Ext(file), data))
	}
	put("icon", own.Icon, &a.Icon)
	put("logo", own.Logo, &e.site.Logo)
	e.site.Footers, e.site.MadeWith = own.Footer, own.SaysMadeWith()
	return problems.Err()
}

// accent is the book's own colour on light pages; "" for the theme's.
func (e *edition) accent() string {
	if a := e.book.Site.Theme.Accent; a != nil {
		return a.Light
	}
	return ""
}

// besideSite is a cure that names the file beside site.yaml that was probably meant.
func (e *edition) besideSite(file string) string {
	entries, err := os.ReadDir(e.options.Content)
	if err != nil {
		return ""
	}
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	if problem.Nearest(file, names) == "" {
		return ""
	}
	return problem.DidYouMean(file, names)
}
