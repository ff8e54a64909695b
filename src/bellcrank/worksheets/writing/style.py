"""The style sheet of a worksheet's page: for the screen by day and by night, and for paper."""

STYLE = """
:root {
  --paper: #fdfcf9; --ink: #1c1d21; --soft: #6b6c74; --faint: #b9b8b3; --line: #dedbd3;
  --box: #f3efe6; --accent: #8a3b12; --body: #f0e4d4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #17181c; --ink: #e7e5df; --soft: #9b9aa2; --faint: #55565e; --line: #33343b;
    --box: #202127; --accent: #e09a63; --body: #3a3029;
  }
}
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); }
body { margin: 0; font: 17px/1.6 "Source Serif 4", "Charter", "Bitstream Charter", "Georgia",
  "Cambria", "DejaVu Serif", serif; font-feature-settings: "kern", "liga", "onum"; }
main { max-width: 60rem; margin: 0 auto; padding: 3.5rem 2rem 6rem; }
header { border-bottom: 1px solid var(--line); padding-bottom: 1.4rem; margin-bottom: 2rem; }
.kind { font-variant: small-caps; letter-spacing: .12em; color: var(--accent); margin: 0; }
h1 { font-size: 2.3rem; line-height: 1.15; font-weight: 600; margin: .2rem 0 .6rem;
  letter-spacing: -.01em; }
.lead { color: var(--soft); font-size: 1.08rem; margin: 0; max-width: 44rem; }
nav ol { columns: 3 14rem; column-gap: 2rem; padding-left: 1.4rem; margin: 1.4rem 0 0;
  font-size: .88rem; line-height: 1.7; }
nav a { color: inherit; text-decoration: none; border-bottom: 1px solid transparent; }
nav a:hover { border-color: var(--accent); }
nav li::marker { color: var(--accent); font-variant-numeric: tabular-nums; }
section { margin: 2.8rem 0 0; }
h2 { font-size: 1.32rem; font-weight: 600; margin: 0 0 .7rem; line-height: 1.3; }
h2 .no { color: var(--accent); display: inline-block; min-width: 2.3rem;
  font-variant-numeric: tabular-nums; font-weight: 400; }
p { margin: .6rem 0; max-width: 48rem; hyphens: auto; overflow-x: auto; overflow-y: hidden;
  padding-bottom: .1rem; }
@media (max-width: 40rem) {
  main { padding: 1.6rem 1rem 3rem; }
  h1 { font-size: 1.7rem; }
  .equations, .flowing, .blockrows { padding-left: .4rem; }
  .flowing > div { padding-left: 1.2em; text-indent: -1.2em; }
}
math { font-family: "STIX Two Math", "STIXTwoMath", "Latin Modern Math", "Cambria Math",
  "TeX Gyre Termes Math", "Libertinus Math", "DejaVu Math TeX Gyre", math;
  font-size: 1.06em; font-feature-settings: normal; }
.equations { margin: .9rem 0 1.1rem; padding: .15rem 0 .15rem 2rem; overflow-x: auto; }
.equations .grid { display: grid; grid-template-columns: max-content minmax(0, 1fr);
  align-items: center; column-gap: .35em; row-gap: .55em; width: fit-content; max-width: 100%; }
.equations.remarked .grid { grid-template-columns: max-content minmax(0, max-content) 1fr; }
.equations .right { padding-left: 1.6em; text-indent: -1.6em; }
.equations .left { text-align: right; }
.equations .remark { color: var(--soft); font-size: .86em; padding-left: 2.2em;
  font-style: italic; }
@media (max-width: 40rem) {
  .equations.remarked .grid { grid-template-columns: max-content minmax(0, 1fr); }
  .equations .remark { grid-column: 1 / -1; padding-left: 1.2em; }
}
.equations.boxed { padding-left: 0; }
.equations.boxed .grid { border: 1.5px solid var(--accent); border-radius: 3px;
  background: var(--box); padding: .9em 1.6em; min-width: 0; margin-left: 2rem; }
.tied { white-space: nowrap; }
.flowing { padding-left: 2rem; overflow-x: auto; }
.flowing > div { margin: .9em 0; padding-left: 2.4em; text-indent: -2.4em; line-height: 2; }
.flowing .remark { color: var(--soft); font-style: italic; font-size: .88em;
  margin-left: 2em; }
mo.dot { font-size: 1.4em; }
mo.ddot { font-size: 1.05em; }
mo.tilde, mo.hat { font-size: 1.12em; }
mtable.stack mtd { text-align: left; padding: .05em 0; }
.blockrows { overflow-x: auto; margin: .9rem 0 1.1rem; padding: .1rem 0 .1rem 2rem; }
.apart .blockrows { margin: .2rem 0; }
.apart { margin: .9rem 0 1.1rem; }
.blockrows table { font-size: 1em; border-spacing: 0 .3em; border-collapse: separate; }
.blockrows th, .blockrows td { border: 0; padding: .12em .5em; text-align: center; width: auto;
  vertical-align: middle; white-space: nowrap; }
.blockrows th { text-align: right; font-weight: 400; font-size: 1em; color: inherit;
  padding-right: .1em; }
.blockrows .numbers td { color: var(--faint); font-size: .72em; padding-top: 0;
  padding-bottom: 0; line-height: 1; }
.blockrows td.open, .blockrows td.close { padding: 0; width: .34em; min-width: .34em;
  border: 1.2px solid currentColor; border-right: 0; }
.blockrows td.close { border-right: 1.2px solid currentColor; border-left: 0; }
.blockrows td.long { white-space: normal; min-width: 16em; text-align: left; }
.blockrows td.zero { color: var(--faint); }
.blockrows.single tr { display: flex; flex-wrap: wrap; align-items: center; row-gap: .35em;
  padding-left: 2.4em; }
.blockrows.single table, .blockrows.single tbody { display: block; }
.blockrows.single .numbers { display: none; }
.blockrows.single th { margin-left: -2.4em; }
.blockrows.single .open, .blockrows.single .close { align-self: stretch; }
.blockrows.single .close { margin-left: -.4em; }
@media (max-width: 40rem) {
  .equations .grid, .blockrows { font-size: .86em; }
  .blockrows .numbers { display: none; }
  .blockrows tr { display: flex; flex-wrap: wrap; align-items: center; row-gap: .35em;
    margin-bottom: .5em; padding-left: 1.2em; }
  .blockrows tr th { margin-left: -1.2em; }
  .blockrows .close { margin-left: -.4em; }
  .blockrows th, .blockrows td { padding: .12em .3em; }
  .blockrows td.long { min-width: 0; flex: 1 1 100%; }
  .blockrows .open, .blockrows .close { align-self: stretch; }
  .equations.boxed .grid { margin-left: 0; padding: .7em .6em; }
  .table th, .table td { padding-right: .7rem; white-space: normal; }
}
mtd { padding: .18em .45em; }
mtd.zero { color: var(--faint); }
figure { margin: 1.2rem 0 1.6rem; text-align: center; }
figcaption { color: var(--soft); font-size: .88rem; margin-top: .3rem; }
svg.tree { width: 100%; height: auto; overflow: visible; font-family: inherit; }
svg .joint { stroke: var(--ink); stroke-width: 1.6; fill: none; }
svg .loop { stroke: var(--accent); stroke-width: 1.5; stroke-dasharray: 5 4; fill: none; }
svg .ground { stroke: var(--ink); stroke-width: 2; }
svg .hatch { stroke: var(--soft); stroke-width: 1; }
svg .body ellipse { fill: var(--body); stroke: var(--ink); stroke-width: 1.5; }
svg text { fill: var(--ink); font-size: 13px; }
svg .number { font-size: 17px; font-weight: 600; text-anchor: middle; }
svg .name { font-size: 13px; }
svg .tag rect { fill: var(--paper); }
svg .tag text { fill: var(--soft); font-size: 12px; font-style: italic; text-anchor: middle; }
svg .zero { fill: var(--soft); text-anchor: end; }
.table { overflow-x: auto; margin: 1rem 0 1.2rem; }
table { border-collapse: collapse; font-size: .92rem; line-height: 1.45;
  font-variant-numeric: lining-nums tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: .84rem;
  border-bottom: 1.5px solid var(--ink); padding: .3rem 1.1rem .35rem 0; white-space: nowrap;
  vertical-align: bottom; }
td { border-bottom: 1px solid var(--line); padding: .34rem 1.1rem .34rem 0;
  vertical-align: middle; }
table + p { margin-top: .4rem; }
@media print {
  :root { --paper: #fff; --ink: #000; --soft: #444; --faint: #999; --line: #ccc;
    --box: #fff; --accent: #000; --body: #fff; }
  @page { size: A4; margin: 18mm 16mm; }
  body { font-size: 10.2pt; line-height: 1.45; }
  main { max-width: none; padding: 0; }
  nav { display: none; }
  section { margin-top: 1.6rem; }
  h2, p:has(+ .equations), p:has(+ .blockrows), p:has(+ .apart) { break-after: avoid; }
  table { font-size: .84rem; }
  .equations, .flowing, .table { overflow: visible; }
  .equations, .flowing { padding-left: .8rem; }
  .table th { white-space: normal; }
  .table th, .table td { padding-right: .7rem; }
  .blockrows { overflow: visible; padding-left: .8rem; }
  .equations .grid > div, tr, figure, .boxed { break-inside: avoid; }
  svg.tree { max-height: 24cm; }
}
"""
