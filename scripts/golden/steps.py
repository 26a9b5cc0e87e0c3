"""The steps of a golden run: one function for each area of the program, which gives named steps. A step is a function
that gets a shell (record.py) and runs one or several commands in a folder of its own; commands of one step may use what
earlier ones printed or wrote."""

from codes_steps import explain_codes
from evidence_files_steps import archives, artifact_cases, cases, collections, corpus, damaged_files, samples, tickets
from folders_steps import whole_folders
from stored_steps import caches, comparing, merging
from symbols_and_sigma_steps import with_sigma, with_symbols
from program_steps import command_line, options, terminals
from rule_commands_steps import broken_rules, drafts, overlays, rules_of_program, rules_of_tree


def all_steps(root):
    """All steps over the inputs in `root`, as (name, function), those that take longest first."""
    areas = [whole_folders, explain_codes, rules_of_program, rules_of_tree, caches, merging, with_symbols, with_sigma]
    areas += [damaged_files, samples, artifact_cases, corpus, cases, broken_rules, collections, overlays]
    areas += [drafts, comparing, archives, tickets, options, terminals, command_line]
    return [step for area in areas for step in area(root)]
