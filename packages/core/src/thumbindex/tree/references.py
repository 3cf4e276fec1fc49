from .model import Tree


def with_references(tree: Tree) -> Tree:
    return tree
